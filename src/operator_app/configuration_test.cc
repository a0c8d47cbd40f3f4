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

constexpr const char* kGroveHead =
    "apiVersion: operator.config.grove.io/v1alpha1\nkind: OperatorConfiguration\n";

TEST(Configuration, GrovesFileIsUnderstood) {
  OperatorOptions options;
  ASSERT_OK(ParseConfiguration(std::string(kGroveHead) + R"(
runtimeClientConnection: {qps: 100, burst: 150}
leaderElection: {enabled: true, leaseDuration: 30s, renewDeadline: 20s, retryPeriod: 4s}
server:
  webhooks: {port: 9999, serverCertDir: /certs, secretName: s, certProvisionMode: manual}
  healthProbes: {port: 9444}
  metrics: {port: 9445}
controllers:
  podCliqueSet: {concurrentSyncs: 3}
  podClique: {concurrentSyncs: 4}
  podCliqueScalingGroup: {concurrentSyncs: 6}
logLevel: debug
logFormat: json
authorizer: {enabled: true, exemptServiceAccountUserNames: [somebody]}
topologyAwareScheduling: {enabled: false}
scheduler: {profiles: [{name: default-scheduler}, {name: kai-scheduler}], defaultProfileName: kai-scheduler}
)",
                               options));
  EXPECT_EQ(options.manager.lease_name, "grove-operator-leader-election");
  EXPECT_EQ(options.manager.lease_duration, std::chrono::seconds(30));
  EXPECT_EQ(options.manager.renew_deadline, std::chrono::seconds(20));
  EXPECT_EQ(options.manager.health_address, ":9444");
  EXPECT_EQ(options.webhooks.address, "0.0.0.0:9999");
  EXPECT_EQ(options.webhooks.directory, "/certs");
  EXPECT_EQ(options.sets.set_workers, 3);
  EXPECT_EQ(options.sets.clique_workers, 4);
  EXPECT_EQ(options.sets.group_workers, 6);
  EXPECT_EQ(options.sets.gang_workers, 5);
  EXPECT_EQ(options.manager.log_level, "debug");
  EXPECT_FALSE(options.sets.topology);
  EXPECT_EQ(options.sets.scheduler, "kai-scheduler");
  EXPECT_EQ(options.schedulers, (std::vector<std::string>{"kai-scheduler", "default-scheduler"}));
  EXPECT_THAT(options.webhooks.exempt, testing::Contains("somebody"));
}

TEST(Configuration, WhatIsWrongInGrovesFileIsNamed) {
  const auto fails = [&](const std::string& text) {
    OperatorOptions options;
    const Status status = ParseConfiguration(kGroveHead + text, options);
    EXPECT_FALSE(status.ok()) << text;
    return std::string(status.message());
  };
  EXPECT_THAT(fails("controllers: {podClique: {concurrentSyncs: 0}}"),
              HasSubstr("controllers.podClique.concurrentSyncs: must be a number from 1"));
  EXPECT_THAT(fails("scheduler: {profiles: [{name: kai-scheduler}]}"),
              HasSubstr("must be a list that has default-scheduler"));
  EXPECT_THAT(fails("scheduler: {profiles: [{name: default-scheduler}, {name: mine}]}"),
              HasSubstr("be one of "));
  EXPECT_THAT(fails("scheduler: {profiles: [{name: default-scheduler}], defaultProfileName: x}"),
              HasSubstr("must be the name of one of scheduler.profiles"));
  EXPECT_THAT(fails("leaderElection: {leaseDuration: 5s}"), HasSubstr("longer than renewDeadline"));
  EXPECT_THAT(fails("leaderElection: {leaseDuration: soon}"), HasSubstr("must be a duration"));
  EXPECT_THAT(fails("logLevel: loud"), HasSubstr("must be one of debug, info, error"));
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
