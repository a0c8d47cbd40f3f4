// hearth plan and hearth tree beside a real API server and the controllers: what is planned is what
// comes about.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "claims/versions.h"
#include "eventually.h"
#include "grove_cluster.h"
#include "json/parse.h"

namespace hearth {
namespace {

using grove::PodCliques;
using grove::PodCliqueScalingGroups;
using Names = std::set<std::string>;
using testing::HasSubstr;

constexpr const char* kSet = R"(
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata: {name: llm, namespace: $namespace}
spec:
  replicas: 1
  template:
    terminationDelay: 4h0m0s
    headlessServiceConfig: {publishNotReadyAddresses: true}
    resourceClaimTemplates:
    - {name: gpu, templateSpec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com}}]}}}}
    resourceSharing:
    - {name: fabric, scope: AllReplicas}
    cliques:
    - {name: router, spec: {roleName: router, replicas: 1, minAvailable: 1, podSpec: {containers: [{name: main, image: registry.k8s.io/pause:3.10}]}}}
    - {name: worker, spec: {roleName: worker, replicas: 1, minAvailable: 1, podSpec: {containers: [{name: main, image: registry.k8s.io/pause:3.10}]}}}
    podCliqueScalingGroups:
    - {name: engine, cliqueNames: [worker], replicas: 1, minAvailable: 1, resourceSharing: [{name: gpu, scope: PerReplica}]}
)";

constexpr const char* kFabric = R"(
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: fabric, namespace: $namespace}
spec: {spec: {devices: {requests: [{name: nic, exactly: {deviceClassName: nic.example.com}}]}}}
)";

const kube::ResourceType& Claims() { return claims::ResourceClaims(claims::ApiVersion::kV1); }

class HearthPlan : public testing::Test {
 protected:
  void SetUp() override {
    std::string why_not;
    kube::TestControlPlane* const plane = GroveCluster::Plane(&why_not);
    if (plane == nullptr) {
      GTEST_SKIP() << why_not;
    }
    cluster_ = std::make_unique<GroveCluster>(*plane);
    std::string text = kSet;
    text.replace(text.find("$namespace"), 10, cluster_->name_space());
    ASSERT_OK(RealFileSystem().Write(file(), text, 0600));
  }

  ProcessOutcome Hearth(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), HEARTH_PROGRAM);
    arguments.insert(arguments.end(), {"--kubeconfig", cluster_->plane().kubeconfig_path()});
    auto outcome = RealProcessRunner().Run({.argv = std::move(arguments)}, GroveCluster::Limit());
    EXPECT_OK(outcome);
    return outcome.ok() ? *std::move(outcome) : ProcessOutcome{.exit_code = -1};
  }
  ProcessOutcome Tree() { return Hearth({"tree", "llm", "-n", cluster_->name_space()}); }

  // What there will be of a kind.
  Names Planned(std::vector<std::string> arguments, const std::string& kind) {
    arguments.insert(arguments.begin(), {"plan", "-f", file(), "--from-cluster", "-o", "json"});
    const ProcessOutcome outcome = Hearth(std::move(arguments));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    const auto plan = json::ParseValue(outcome.output);
    EXPECT_OK(plan);
    Names names = cluster_->Names(kind == "PodClique" ? PodCliques() : Claims());
    for (const json::Value& change : plan->Find("kinds")->items()) {
      if (change.Find("kind")->string() == kind) {
        for (const json::Value& name : change.Find("created")->items()) {
          EXPECT_TRUE(names.insert(name.string()).second) << name.string();
        }
        for (const json::Value& name : change.Find("deleted")->items()) {
          EXPECT_EQ(names.erase(name.string()), 1U) << name.string();
        }
      }
    }
    return names;
  }

  void ExpectComesAbout(const Names& claims, const Names& cliques) {
    EXPECT_TRUE(Eventually([&] {
      return cluster_->Names(Claims()) == claims && cluster_->Names(PodCliques()) == cliques;
    })) << testing::PrintToString(cluster_->Names(Claims()))
        << " instead of " << testing::PrintToString(claims);
  }

  std::string file() const { return files_.path() + "/set.yaml"; }

  TempDirectory files_;
  std::unique_ptr<GroveCluster> cluster_;
};

TEST_F(HearthPlan, ComesAbout) {
  const Names claims = Planned({}, "ResourceClaim");
  const Names cliques = Planned({}, "PodClique");
  EXPECT_EQ(claims, (Names{"llm-all-fabric", "llm-0-engine-0-gpu"}));
  cluster_->StartOperator();
  cluster_->Apply(kFabric);
  cluster_->Apply(kSet);
  ExpectComesAbout(claims, cliques);

  const Names more_claims = Planned({"--scale", "llm-0-engine=3"}, "ResourceClaim");
  const Names more_cliques = Planned({"--scale", "llm-0-engine=3"}, "PodClique");
  EXPECT_EQ(more_claims.size(), 4U);
  cluster_->Scale(PodCliqueScalingGroups(), "llm-0-engine", 3);
  ExpectComesAbout(more_claims, more_cliques);

  const Names fewer_claims = Planned({"--scale", "llm-0-engine=1"}, "ResourceClaim");
  const Names fewer_cliques = Planned({"--scale", "llm-0-engine=1"}, "PodClique");
  EXPECT_EQ(fewer_claims, claims);
  cluster_->Scale(PodCliqueScalingGroups(), "llm-0-engine", 1);
  ExpectComesAbout(fewer_claims, fewer_cliques);
}

// Pods wait for a claim whose template is not there; the tree says so until it comes.
TEST_F(HearthPlan, TreeTellsWhatPodsWaitFor) {
  cluster_->StartOperator();
  cluster_->Apply(kSet);
  ProcessOutcome tree;
  EXPECT_TRUE(Eventually([&] {
    tree = Tree();
    return tree.output.find("WaitsForClaim: ResourceClaim llm-all-fabric is not there") !=
               std::string::npos &&
           tree.output.find("TemplateNotFound") != std::string::npos;
  })) << tree.output
      << tree.errors;
  EXPECT_EQ(tree.exit_code, 1);
  EXPECT_THAT(tree.output, HasSubstr("Gated"));

  cluster_->Apply(kFabric);
  EXPECT_TRUE(Eventually([&] {
    cluster_->RunPods();
    tree = Tree();
    return tree.exit_code == 0 && tree.output.find("2 pods: 2 ready") != std::string::npos;
  })) << tree.output
      << tree.errors;
}

TEST_F(HearthPlan, TreeSuggestsTheSetThatWasMeant) {
  cluster_->Apply(kSet);
  const ProcessOutcome outcome = Hearth({"tree", "lmm", "-n", cluster_->name_space()});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.errors, HasSubstr("did you mean llm?"));
}

}  // namespace
}  // namespace hearth
