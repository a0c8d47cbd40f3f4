#include "operator_app/configuration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"

namespace hearth::operator_app {
namespace {

using testing::HasSubstr;

constexpr const char* kHead =
    "apiVersion: operator.config.dynamo.nvidia.com/v1alpha1\nkind: OperatorConfiguration\n";

TEST(Configuration, SaysWhatItSaysAndNothingElse) {
  OperatorOptions options;
  options.manager.lease_namespace = "kube-system";
  ASSERT_OK(ParseConfiguration(std::string(kHead) + R"(
server:
  metrics: {port: 8080, secure: true}
  healthProbe: {port: 8090}
  webhook: {host: 127.0.0.1, port: 9999, certProvisionMode: manual, certDir: /certs}
leaderElection: {enabled: false, id: dynamo.nvidia.com}
namespace: {restricted: team-a}
checkpoint: {enabled: false, storage: {type: pvc, pvc: {pvcName: c, basePath: /ckpt}}}
orchestrators: {grove: {enabled: null}}
)",
                               options));
  EXPECT_EQ(options.manager.health_address, ":8090");
  EXPECT_EQ(options.webhooks.address, "127.0.0.1:9999");
  EXPECT_EQ(options.webhooks.certificates, "manual");
  EXPECT_EQ(options.webhooks.directory, "/certs");
  EXPECT_EQ(options.webhooks.secret, "webhook-server-cert");
  EXPECT_FALSE(options.manager.leader_elect);
  EXPECT_EQ(options.manager.lease_name, "dynamo.nvidia.com");
  EXPECT_EQ(options.manager.lease_namespace, "kube-system");
  EXPECT_EQ(options.snapshots.namespaces.restricted_to, "team-a");
  EXPECT_FALSE(options.checkpoints);
  EXPECT_EQ(options.checkpoint_path, "/ckpt");
  EXPECT_TRUE(options.grove);
}

TEST(Configuration, NamesWhatIsWrongAndChangesNothing) {
  OperatorOptions options;
  const auto fails = [&](const std::string& text) {
    const Status status = ParseConfiguration(text, options);
    EXPECT_FALSE(status.ok()) << text;
    return std::string(status.message());
  };
  EXPECT_THAT(fails("kind: Pod"), HasSubstr("must be a OperatorConfiguration"));
  EXPECT_THAT(fails(std::string(kHead) + "server: {healthProbe: {bindAddress: a, port: 70000}}"),
              HasSubstr("server.healthProbe.port: must be a port"));
  EXPECT_THAT(fails(std::string(kHead) + "leaderElection: {enabled: maybe}"),
              HasSubstr("leaderElection.enabled: must be true or false"));
  EXPECT_THAT(fails(std::string(kHead) + "server: {webhook: {certProvisionMode: x}}"),
              HasSubstr("must be auto or manual"));
  EXPECT_THAT(fails(std::string(kHead) + "namespace: {restricted: 7}"),
              HasSubstr("must be a string"));
  EXPECT_THAT(fails(std::string(kHead) + "checkpoint: {storage: {pvc: {basePath: ckpt}}}"),
              HasSubstr("checkpoint.storage.pvc.basePath: must be an absolute path"));
  EXPECT_EQ(options.manager.health_address, ":8081");
}

TEST(Configuration, WithAnEmptyBasePathLeavesTheStorageWhereItIs) {
  OperatorOptions options;
  ASSERT_OK(ParseConfiguration(
      std::string(kHead) + "checkpoint: {storage: {pvc: {basePath: \"\"}}}", options));
  EXPECT_EQ(options.MakeSetup("1.2.3").checkpoint_path, "/checkpoints");
}

TEST(Configuration, IsReadFromTheFileThatIsNamed) {
  OperatorOptions options;
  EXPECT_OK(ReadConfiguration(RealFileSystem(), options));
  options.config_file = "/does/not/exist.yaml";
  EXPECT_THAT(ReadConfiguration(RealFileSystem(), options).ToString(),
              HasSubstr("/does/not/exist.yaml"));
}

}  // namespace
}  // namespace hearth::operator_app
