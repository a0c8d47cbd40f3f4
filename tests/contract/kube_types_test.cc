// The table of Kubernetes' own types, and what a server makes of the schemas that come from it.
#include "api/core/kube_types.h"

#include "api/core/testing/schema_json.h"
#include "base/file_system.h"
#include "base/process_runner.h"
#include "contract_test.h"
#include "eventually.h"
#include "json/parse.h"
#include "kube/testing/control_plane.h"

namespace hearth::kube {
namespace {

using json::Value;

const ResourceType kFrames{"types.hearth.test", "v1", "frames", "Frame", true};

// A resource with everything in it that ours embed.
Value FrameDefinition() {
  Value spec = Value::Object({{"type", "object"}});
  const std::vector<std::pair<std::string, std::string>> members = {
      {"template", "core.v1.PodTemplateSpec"},
      {"claim", "resource.v1.ResourceClaimTemplateSpec"},
      {"metric", "autoscaling.v2.MetricSpec"},
      {"condition", "meta.v1.Condition"},
      {"tls", "networking.v1.IngressTLS"}};
  for (const auto& [name, type] : members) {
    spec["properties"].Set(name, api::core::SchemaJson(*api::core::TypeSchema(type)));
  }
  Value version = Value::Object({{"name", "v1"}, {"served", true}, {"storage", true}});
  version.MakePath("schema.openAPIV3Schema") = Value::Object({{"type", "object"}});
  version.MakePath("schema.openAPIV3Schema.properties.spec") = std::move(spec);
  Value definition =
      NewObject(types::CustomResourceDefinitions(), {"", "frames.types.hearth.test"});
  definition.Set("spec", Value::Object({{"group", "types.hearth.test"},
                                        {"scope", "Namespaced"},
                                        {"names", Value::Object({{"plural", "frames"},
                                                                 {"singular", "frame"},
                                                                 {"kind", "Frame"}})},
                                        {"versions", Value::Array({std::move(version)})}}));
  return definition;
}

class KubeTypes : public ContractTest {
 protected:
  void SetUp() override {
    ContractTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) {
      return;
    }
    const json::Blob body = FrameDefinition().ToBlob();
    const auto created =
        client().Create(types::CustomResourceDefinitions(), "", body.view(), Limit());
    ASSERT_TRUE(created.ok() || created.status().Is(Code::kAlreadyExists)) << created.status();
    // Serving begins a moment later.
    ASSERT_TRUE(Eventually([&] { return client().List(kFrames, name_space(), Limit()).ok(); }));
  }
  Value Frame(const std::string& name, const char* spec) {
    Value frame = NewObject(kFrames, Key(name));
    auto parsed = json::ParseValue(spec);
    EXPECT_OK(parsed);
    frame.Set("spec", *std::move(parsed));
    return frame;
  }
};

TEST_P(KubeTypes, TemplatesAreDefaultedAndKeepTheirLabels) {
  ASSERT_OK_AND_ASSIGN(const Object created, Create(kFrames, Frame("f", R"({"template": {
    "metadata": {"labels": {"app": "a"}},
    "spec": {"containers": [{"name": "c", "ports": [{"containerPort": 80}],
      "resources": {"limits": {"cpu": 2, "memory": "1Gi"}}}]}}})")));
  const Value got = created.ToValue();
  EXPECT_EQ(got.FindPath("spec.template")->Write(),
            R"({"metadata":{"labels":{"app":"a"}},"spec":{"containers":[{"name":"c",)"
            R"("ports":[{"containerPort":80,"protocol":"TCP"}],)"
            R"("resources":{"limits":{"cpu":2,"memory":"1Gi"}}}]}})");
}

TEST_P(KubeTypes, WhatAPodWouldNotHaveIsRefused) {
  EXPECT_CODE(Code::kInvalid, Create(kFrames, Frame("quantity", R"({"template": {"spec": {
    "containers": [{"name": "c", "resources": {"limits": {"cpu": "much"}}}]}}})")));
  EXPECT_CODE(Code::kInvalid, Create(kFrames, Frame("twice", R"({"template": {"spec": {
    "containers": [{"name": "c"}, {"name": "c"}]}}})")));
  EXPECT_CODE(Code::kInvalid, Create(kFrames, Frame("nameless", R"({"template": {"spec": {
    "containers": [{"image": "i"}]}}})")));
}

INSTANTIATE_CONTRACT(KubeTypes);

// After a new Kubernetes: tools/dev-cluster up, tools/derive-kube-types, look at the difference.
TEST(KubeTypesTable, IsWhatTheServerSays) {
  std::string why_not;
  TestControlPlane* plane = SharedControlPlane(&why_not);
  if (plane == nullptr) {
    GTEST_SKIP() << why_not;
  }
  const std::string root = HEARTH_SOURCE_DIR;
  ProcessSpec spec;
  spec.argv = {"python3",      root + "/tools/derive-kube-types",
               "--kubeconfig", plane->kubeconfig_path(),
               "--output",     "-"};
  ASSERT_OK_AND_ASSIGN(
      const ProcessOutcome outcome,
      RealProcessRunner().Run(spec, WaitLimit::For(RealClock(), std::chrono::minutes(3))));
  ASSERT_TRUE(outcome.ok()) << outcome.errors;
  EXPECT_EQ(outcome.errors, "");
  ASSERT_OK_AND_ASSIGN(const std::string committed,
                       RealFileSystem().Read(root + "/src/api/core/kubernetes_types.txt", 1 << 20));
  EXPECT_EQ(outcome.output, committed);
}

}  // namespace
}  // namespace hearth::kube
