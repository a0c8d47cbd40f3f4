// The definitions under deploy/crds, on a real server and through kubectl.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>
#include <sstream>

#include "base/file_system.h"
#include "base/strings.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "eventually.h"
#include "json/yaml.h"
#include "kube/testing/control_plane.h"

namespace hearth::kube {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr uint64_t kMostBytes = 1 << 20;  // etcd takes little more in one object

std::string Directory() { return std::string(HEARTH_SOURCE_DIR) + "/deploy/crds"; }

class Crds : public testing::Test {
 protected:
  void SetUp() override {
    std::string why_not;
    server_ = SharedControlPlane(&why_not);
    if (server_ == nullptr) {
      GTEST_SKIP() << why_not;
    }
  }
  void ApplyAndCheck(const std::string& path) {
    const auto text = RealFileSystem().Read(path, kMostBytes);
    ASSERT_OK(text);
    ASSERT_OK(server_->Kubectl(
        {"apply", "--server-side", "--warnings-as-errors", "--field-manager=hearth", "-f", path}));
    const auto crd = json::ParseYamlDocument(*text);
    ASSERT_OK(crd);
    const std::string name = crd->FindPath("metadata.name")->string();
    // Right after it was made there is no status to wait on.
    ASSERT_TRUE(Eventually([&] {
      return server_
          ->Kubectl({"wait", "--for=condition=Established", "--timeout=20s", "crd/" + name})
          .ok();
    }));
    // Schemas that are not structural are told as a condition, not as an error.
    const auto conditions =
        server_->Kubectl({"get", "crd", name, "-o", "jsonpath={.status.conditions[*].type}"});
    ASSERT_OK(conditions);
    EXPECT_THAT(*conditions, Not(HasSubstr("NonStructural")));
    EXPECT_TRUE(Eventually([&] {
      const auto explained = server_->Kubectl({"explain", name + ".spec"});
      return explained.ok() && explained->find("DESCRIPTION") != std::string::npos;
    }));
  }

  TestControlPlane* server_ = nullptr;
};

// What users do with kubectl once the definitions are there.
class InstalledCrds : public Crds {
 protected:
  // Once for all of these tests: it takes seconds.
  static void SetUpTestSuite() {
    std::string why_not;
    TestControlPlane* server = SharedControlPlane(&why_not);
    if (server != nullptr) {
      EXPECT_OK(server->Kubectl(
          {"apply", "--server-side", "--field-manager=hearth", "-f", Directory() + "/"}));
      EXPECT_OK(server->Kubectl(
          {"wait", "--for=condition=Established", "--timeout=60s", "-f", Directory() + "/"}));
    }
  }

  void SetUp() override {
    Crds::SetUp();
    if (IsSkipped() || HasFatalFailure()) {
      return;
    }
    auto name_space = server_->NewNamespace("crds");
    ASSERT_OK(name_space);
    name_space_ = *name_space;
  }

  Result<std::string> Run(std::vector<std::string> args) {
    args.insert(args.begin(), {"-n", name_space_});
    return server_->Kubectl(std::move(args));
  }
  std::string MustRun(const std::vector<std::string>& args) {
    const auto said = Run(args);
    EXPECT_OK(said);
    return said.ok() ? *said : "";
  }

  // Serving begins a moment after a definition is established.
  void Create(const std::string& yaml) {
    const std::string path = directory_.path() + "/object.yaml";
    ASSERT_OK(RealFileSystem().Write(path, yaml, 0644));
    Result<std::string> created = Run({"create", "-f", path});
    ASSERT_TRUE(created.ok() || Eventually([&] {
                  created = Run({"create", "-f", path});
                  return created.ok();
                }))
        << created.status();
  }
  void SetStatus(const std::string& object, const std::string& status) {
    ASSERT_OK(Run({"patch", object, "--subresource=status", "--type=merge", "-p",
                   R"({"status":)" + status + "}"}));
  }

  // A line as words.
  static std::vector<std::string> Words(std::string_view line) {
    std::istringstream in{std::string(line)};
    return {std::istream_iterator<std::string>(in), {}};
  }
  // The first words of the two lines that kubectl get prints for one object; ages change.
  void ExpectColumns(const std::vector<std::string>& get, const std::string& header,
                     const std::string& row) {
    const std::string table = MustRun(get);
    const std::vector<std::string_view> lines = Split(table, '\n');
    ASSERT_GE(lines.size(), 2U) << table;
    EXPECT_EQ(Words(lines[0]), Words(header));
    std::vector<std::string> values = Words(lines[1]);
    const std::vector<std::string> expected = Words(row);
    ASSERT_GE(values.size(), expected.size()) << table;
    values.resize(expected.size());
    EXPECT_EQ(values, expected);
  }

  TempDirectory directory_;
  std::string name_space_;
};

TEST_F(InstalledCrds, ShortNamesAndCategoriesAreKnown) {
  for (const char* names : {"dgd,dcd,dckpt,dwm,podsnap,podsnapcontent", "pcs,pcsg,pclq,ct,pg",
                            "hearth", "dynamo", "grove"}) {
    EXPECT_TRUE(Eventually([&] { return Run({"get", names}).ok(); })) << names;
  }
}

TEST_F(InstalledCrds, ExplainTellsOfFieldsInBothVersions) {
  EXPECT_TRUE(Eventually([&] {
    const auto said = Run({"explain", "dgd.spec.components"});
    return said.ok() && said->find("minAvailable") != std::string::npos;
  }));
  EXPECT_THAT(MustRun({"explain", "dgd.spec.components.experimental.gpuMemoryService"}),
              HasSubstr("enum: IntraPod, InterPod"));
  EXPECT_THAT(MustRun({"explain", "--api-version=nvidia.com/v1alpha1", "dgd.spec.services"}),
              HasSubstr("envFromSecret"));
  EXPECT_THAT(MustRun({"explain", "pcs.spec.template.resourceSharing.scope"}),
              HasSubstr("PerReplica"));
}

constexpr const char* kConditionTime = R"("lastTransitionTime":"2026-01-02T03:04:05Z")";

std::string ReadyCondition(const std::string& reason) {
  return R"({"type":"Ready","status":"True","reason":")" + reason + R"(","message":"m",)" +
         kConditionTime + "}";
}

TEST_F(InstalledCrds, ColumnsOfAGraphTellWhyAndHowItStarted) {
  Create(
      "{apiVersion: nvidia.com/v1beta1, kind: DynamoGraphDeployment, metadata: {name: lark}, "
      "spec: {backendFramework: vllm, components: [{name: w}]}}");
  SetStatus("dgd/lark",
            R"({"state":"successful","startup":{"restored":3,"cold":1},"conditions":[)" +
                ReadyCondition("AllReady") + "]}");
  ExpectColumns({"get", "dgd"}, "NAME READY REASON BACKEND RESTORED COLD AGE",
                "lark True AllReady vllm 3 1");
}

TEST_F(InstalledCrds, ColumnsOfACheckpointTellItsSnapshot) {
  Create(
      "{apiVersion: nvidia.com/v1alpha1, kind: DynamoCheckpoint, metadata: {name: lark}, spec: "
      "{identity: {model: m, backendFramework: vllm}, job: {podTemplateSpec: {spec: "
      "{containers: [{name: main, image: i}]}}}}}");
  SetStatus("dckpt/lark",
            std::string(R"({"phase":"Ready","checkpointID":"c1","podSnapshotName":"s1",)") +
                R"("conditions":[{"type":"JobCompleted","status":"True","reason":"Captured",)" +
                R"("message":"m",)" + kConditionTime + "}]}");
  ExpectColumns({"get", "dckpt"}, "NAME MODEL BACKEND PHASE REASON CHECKPOINTID SNAPSHOT AGE",
                "lark m vllm Ready Captured c1 s1");
}

TEST_F(InstalledCrds, ColumnsOfASnapshotTellPodAndReason) {
  Create(
      "{apiVersion: nvidia.com/v1alpha1, kind: PodSnapshot, metadata: {name: lark}, spec: "
      "{source: {podRef: {name: p, containers: [main]}}}}");
  SetStatus("podsnap/lark", R"({"boundSnapshotContentName":"c1","conditions":[)" +
                                ReadyCondition("Captured") + "]}");
  ExpectColumns({"get", "podsnap"}, "NAME POD CONTAINER CONTENT READY REASON AGE",
                "lark p main c1 True Captured");
}

TEST_F(InstalledCrds, ColumnsOfACliqueTellItsClaims) {
  Create(
      "{apiVersion: grove.io/v1alpha1, kind: PodClique, metadata: {name: lark}, spec: "
      "{roleName: r, replicas: 2, minAvailable: 1, podSpec: {containers: [{name: main, image: "
      "i}]}}}");
  SetStatus("pclq/lark", R"({"readyReplicas":1,"scheduledReplicas":2,"updatedReplicas":2,)"
                         R"("resourceClaims":{"summary":"1/2"}})");
  ExpectColumns({"get", "pclq"}, "NAME MINAVAIL REPLICAS READY SCHEDULED UPDATED CLAIMS AGE",
                "lark 1 2 1 2 2 1/2");
}

TEST_F(InstalledCrds, ObjectsAreFoundByTheirSelectableFields) {
  for (const char* phase : {"Ready", "Failed"}) {
    Create(std::string("{apiVersion: nvidia.com/v1alpha1, kind: DynamoCheckpoint, metadata: {name: "
                       "'") +
           (phase[0] == 'R' ? "good" : "bad") +
           "'}, spec: {identity: {model: m, backendFramework: vllm}, job: {podTemplateSpec: {spec: "
           "{containers: [{name: main, image: i}]}}}}}");
  }
  SetStatus("dckpt/good", R"({"phase":"Ready"})");
  SetStatus("dckpt/bad", R"({"phase":"Failed"})");
  EXPECT_EQ(MustRun({"get", "dckpt", "-o", "name", "--field-selector", "status.phase=Failed"}),
            "dynamocheckpoint.nvidia.com/bad\n");
  EXPECT_EQ(MustRun({"get", "dckpt", "-o", "name", "--field-selector", "spec.identity.model=x"}),
            "");
  Create(
      "{apiVersion: nvidia.com/v1beta1, kind: DynamoGraphDeployment, metadata: {name: lark}, "
      "spec: {backendFramework: vllm, components: [{name: w}]}}");
  EXPECT_EQ(MustRun({"get", "dgd", "-o", "name", "--field-selector", "spec.backendFramework=vllm"}),
            "dynamographdeployment.nvidia.com/lark\n");
}

TEST_F(InstalledCrds, KindsOfGroveAreScaled) {
  Create(
      "{apiVersion: grove.io/v1alpha1, kind: PodCliqueScalingGroup, metadata: {name: lark}, "
      "spec: {replicas: 1, minAvailable: 1, cliqueNames: [a]}}");
  MustRun({"scale", "pcsg/lark", "--replicas=3"});
  EXPECT_EQ(MustRun({"get", "pcsg/lark", "-o", "jsonpath={.spec.replicas}"}), "3");
  Create(
      "{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {name: lark}, spec: "
      "{replicas: 1, template: {cliques: [{name: a, spec: {roleName: a, replicas: 1, podSpec: "
      "{containers: [{name: main, image: i}]}}}]}}}");
  MustRun({"scale", "pcs/lark", "--current-replicas=1", "--replicas=2"});
  EXPECT_EQ(MustRun({"get", "pcs/lark", "-o", "jsonpath={.spec.replicas}"}), "2");
}

TEST_F(Crds, ApplyWithoutAWarningAndAreExplained) {
  const auto names = RealFileSystem().List(Directory());
  ASSERT_OK(names);
  ASSERT_FALSE(names->empty());
  for (const std::string& name : *names) {
    if (!name.ends_with(".yaml")) {
      continue;  // what kustomize reads
    }
    SCOPED_TRACE(name);
    ApplyAndCheck(Directory() + "/" + name);
  }
}

}  // namespace
}  // namespace hearth::kube
