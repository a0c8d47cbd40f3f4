#include "dynamo/render/clique_set.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "dynamo/render/testing/everything.h"
#include "pods/environment.h"
#include "pods/lists.h"

namespace hearth::dynamo {
namespace {

using json::Value;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// A graph with one vLLM worker; `more` are further lines of the component.
GraphFacts Graph(std::string_view more) {
  return ReadGraph(fmt::format(R"(
metadata: {{name: g, namespace: ns, annotations: {{nvidia.com/dynamo-operator-origin-version: 1.0.0}}}}
spec:
  backendFramework: vllm
  components:
    - name: Worker
      type: worker
      podTemplate:
        spec:
          containers:
            - name: side
              image: s
            - name: main
              image: i
              command: [python3]
              args: [-m, dynamo.vllm, -tp, "16"]
              resources: {{limits: {{nvidia.com/gpu: 8}}}}
{})",
                               more));
}

constexpr std::string_view kBetweenPods = R"(
      experimental: {gpuMemoryService: {mode: InterPod}}
)";
constexpr std::string_view kBetweenPodsOnTwoNodes = R"(
      multinode: {nodeCount: 2}
      experimental: {gpuMemoryService: {mode: InterPod}, failover: {mode: InterPod}}
)";

Value Render(const GraphFacts& graph, const ComponentState& state = {}) {
  GraphRequest request{.graph = graph};
  request.components["Worker"] = state;
  const auto set = RenderCliqueSet(request);
  EXPECT_OK(set);
  return set.ok() ? *set : Value();
}

std::vector<std::string> Outline(const GraphFacts& graph) {
  std::vector<std::string> lines;
  for (const CliqueOutline& clique : CliquesOf(graph.spec.components[0])) {
    lines.push_back(fmt::format("{} {}/{}", clique.name, clique.min_available, clique.replicas));
  }
  return lines;
}

const Value& Clique(const Value& set, std::string_view name) {
  const Value* const clique = pods::FindNamed(*set.FindPath("spec.template"), "cliques", name);
  EXPECT_NE(clique, nullptr) << name;
  return *clique;
}

const Value& MainOf(const Value& clique) {
  return *pods::FindNamed(*clique.FindPath("spec.podSpec"), "containers", "main");
}

// W5, W8
TEST(CliqueSetTest, RolesBecomeCliques) {
  EXPECT_THAT(Outline(Graph("      replicas: 3\n      minAvailable: 2\n")),
              ElementsAre("worker 2/3"));
  EXPECT_THAT(Outline(Graph("      multinode: {nodeCount: 4}\n")),
              ElementsAre("worker-ldr 1/1", "worker-wkr 3/3"));
  EXPECT_THAT(Outline(Graph(kBetweenPods)), ElementsAre("worker-gms-0 1/1", "worker 1/1"));
  EXPECT_THAT(
      Outline(Graph(kBetweenPodsOnTwoNodes)),
      ElementsAre("worker-gms-0 1/1", "worker-ldr 1/2", "worker-gms-1 1/1", "worker-wkr-1 1/2"));
}

// W3
TEST(CliqueSetTest, EachRankHasItsDevices) {
  const Value set = Render(Graph(kBetweenPodsOnTwoNodes));
  const Value& parts = *set.FindPath("spec.template");
  EXPECT_EQ(parts.Find("resourceClaimTemplates")->items().size(), 2U);
  const Value& group = parts.Find("podCliqueScalingGroups")->items()[0];
  EXPECT_EQ(pods::Text(group, "name"), "worker");
  const Value& second = group.Find("resourceSharing")->items()[1];
  EXPECT_EQ(pods::Text(second, "name"), "worker-gpu-rank-1");
  EXPECT_EQ(pods::Text(second, "scope"), "PerReplica");
  EXPECT_EQ(second.FindPath("filter.childCliqueNames")->Write(),
            R"(["worker-gms-1","worker-wkr-1"])");
}

// W4
TEST(CliqueSetTest, HostsAndRanks) {
  const Value plain = Render(Graph("      multinode: {nodeCount: 2}\n"));
  EXPECT_THAT(MainOf(Clique(plain, "worker-wkr")).Write(),
              HasSubstr("--master-addr $(GROVE_PCSG_NAME)-$(GROVE_PCSG_INDEX)-worker-ldr-0."
                        "$(GROVE_HEADLESS_SERVICE) --master-port 29500 --node-rank "
                        "$((GROVE_PCLQ_POD_INDEX + 1)) --headless"));
  const Value shared = Render(Graph(kBetweenPodsOnTwoNodes));
  EXPECT_THAT(MainOf(Clique(shared, "worker-wkr-1")).Write(),
              HasSubstr(R"("$(GROVE_PCSG_NAME)-$(GROVE_PCSG_INDEX)-worker-ldr-)"
                        R"j($(GROVE_PCLQ_POD_INDEX).$(GROVE_HEADLESS_SERVICE)","--master-port",)j"
                        R"("29500","--node-rank","1","--headless")"));
}

// W6
TEST(CliqueSetTest, EnginesStartAfterTheirServer) {
  const Value shared = Render(Graph(kBetweenPodsOnTwoNodes));
  EXPECT_EQ(Clique(shared, "worker-wkr-1").FindPath("spec.startsAfter")->Write(),
            R"(["worker-gms-1"])");
  EXPECT_EQ(shared.FindPath("spec.template.cliqueStartupType")->string(),
            "CliqueStartupTypeExplicit");
  EXPECT_EQ(Render(Graph("")).FindPath("spec.template.cliqueStartupType")->string(),
            "CliqueStartupTypeAnyOrder");
}

// W1, W7, W21
TEST(CliqueSetTest, AServersPodHasNothingOfTheEngine) {
  const Value set = Render(Graph(kBetweenPods));
  const Value& clique = Clique(set, "worker-gms-0");
  EXPECT_THAT(clique.Write(), Not(HasSubstr("dynamo-discovery")));
  EXPECT_THAT(clique.Write(), Not(HasSubstr("nvidia.com/gpu\":8")));
  EXPECT_EQ(clique.FindPath("spec.podSpec.containers")->items().size(), 1U);
  const Value& main = MainOf(clique);
  EXPECT_THAT(main.Find("startupProbe")->Write(), HasSubstr("-ge 16"));
  EXPECT_EQ(main.Find("livenessProbe"), nullptr);
  EXPECT_EQ(main.Find("ports"), nullptr);
  EXPECT_EQ(pods::Text(clique.FindPath("spec.podSpec.initContainers")->items()[0], "name"),
            "fix-gms-perms");
}

// W19: two namespaces, or two graphs one after the other, never meet in one folder
TEST(CliqueSetTest, TheSharedFolderIsThisGraphsAlone) {
  const Value set = Render(Graph(kBetweenPodsOnTwoNodes));
  for (const char* const name : {"worker-gms-1", "worker-wkr-1"}) {
    EXPECT_THAT(Clique(set, name).Write(),
                HasSubstr("ns_uid-of-the-graph/$(GROVE_PCSG_NAME)-$(GROVE_PCSG_INDEX)/rank-1"));
  }
}

// W2, W20
TEST(CliqueSetTest, OnlyEnginesThatStandByWaitForALock) {
  const Value alone = Render(Graph(kBetweenPods));
  const Value& engine = Clique(alone, "worker");
  EXPECT_EQ(pods::FindVariable(MainOf(engine), "FAILOVER_LOCK_PATH"), nullptr);
  EXPECT_NE(pods::FindVariable(MainOf(engine), "DYN_SYSTEM_USE_ENDPOINT_HEALTH_STATUS"), nullptr);
  EXPECT_EQ(engine.FindPath("spec.podSpec.restartPolicy")->string(), "Always");
  EXPECT_EQ(engine.Write().find("failover-engine-group-member"), std::string::npos);
  const Value shared = Render(Graph(kBetweenPodsOnTwoNodes));
  const Value& leader = Clique(shared, "worker-ldr");
  EXPECT_NE(pods::FindVariable(MainOf(leader), "FAILOVER_LOCK_PATH"), nullptr);
  EXPECT_EQ(leader.FindPath("spec.podSpec.restartPolicy")->string(), "Never");
  EXPECT_THAT(leader.Find("labels")->Write(), HasSubstr("failover-engine-group-member"));
  EXPECT_THAT(Clique(shared, "worker-gms-0").Write(),
              Not(HasSubstr("failover-engine-group-member")));
}

// W9
TEST(CliqueSetTest, EnginesThatWaitForACheckpointAreNone) {
  const Value set = Render(Graph(kBetweenPods), {.waits = true});
  EXPECT_EQ(Clique(set, "worker").FindPath("spec.replicas")->Int(), 0);
  EXPECT_EQ(Clique(set, "worker").FindPath("spec.minAvailable")->Int(), 1);
  EXPECT_EQ(Clique(set, "worker-gms-0").FindPath("spec.replicas")->Int(), 1);
  const Value& group = set.FindPath("spec.template.podCliqueScalingGroups")->items()[0];
  EXPECT_EQ(group.Find("replicas")->Int(), 0);
}

// W10, W3
TEST(CliqueSetTest, EnginesLoadFromTheServiceUnlessTheySayOtherwise) {
  EXPECT_THAT(MainOf(Clique(Render(Graph(kBetweenPods)), "worker")).Find("args")->Write(),
              HasSubstr(R"("dynamo.vllm","--load-format","gms")"));
  GraphFacts graph = Graph(kBetweenPods);
  Value& main =
      *pods::FindNamed(graph.spec.components[0].pod_template["spec"], "containers", "main");
  main["args"].Append("--load-format=auto");
  EXPECT_THAT(MainOf(Clique(Render(graph), "worker")).Find("args")->Write(),
              Not(HasSubstr("\"gms\"")));
}

TEST(CliqueSetTest, LongNamesAreCutAndToldApart) {
  GraphFacts graph = Graph("");
  EXPECT_EQ(SetNameOf(graph), "g");
  graph.name = std::string(50, 'a');
  const std::string one = SetNameOf(graph);
  EXPECT_EQ(one.size(), 45U - 6U);
  graph.name.back() = 'b';
  EXPECT_NE(SetNameOf(graph), one);
}

}  // namespace
}  // namespace hearth::dynamo
