// V1: rows about changes of a graph.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "admission/dynamo/internal/graph_rules.h"
#include "admission/dynamo/testing/small_door.h"

namespace hearth::admission::dynamo {
namespace {

using json::Value;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::IsEmpty;

struct Case {
  std::string name;
  std::string old_worker = "{}";  // over the component worker, spec.components[1]
  std::string worker = "{}";
  std::vector<std::string> errors = {};  // empty: taken
  std::string old_object = "{}";         // over the graph
  std::string object = "{}";
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

class GraphUpdates : public testing::TestWithParam<Case> {};

TEST_P(GraphUpdates, AreToldWhatIsWrong) {
  const Case& given = GetParam();
  const Answer answer =
      AskUpdate(Graph(given.old_worker, given.old_object), Graph(given.worker, given.object));
  EXPECT_THAT(answer.errors, ElementsAreArray(given.errors));
}

constexpr const char* kFrontend = "{name: Frontend, type: frontend}";

std::string Components(const std::string& list) { return "{spec: {components: [" + list + "]}}"; }

INSTANTIATE_TEST_SUITE_P(
    Components, GraphUpdates,
    testing::Values(
        Case{.name = "NothingChanged"},
        Case{.name = "Reordered",
             .old_object = Components("{name: a}, {name: b}"),
             .object = Components("{name: b}, {name: a}")},
        Case{.name = "Added",
             .errors = {"spec.components: Forbidden: component topology is immutable and cannot be "
                        "modified after creation: components added: [b c]"},
             .old_object = Components("{name: a}"),
             .object = Components("{name: c}, {name: a}, {name: b}")},
        Case{.name = "Removed",
             .errors = {"spec.components: Forbidden: component topology is immutable and cannot be "
                        "modified after creation: components removed: [b]"},
             .old_object = Components("{name: a}, {name: b}"),
             .object = Components("{name: a}")},
        Case{.name = "Renamed",
             .errors = {"spec.components: Forbidden: component topology is immutable and cannot be "
                        "modified after creation: components added: [c], components removed: [b]"},
             .old_object = Components("{name: a}, {name: b}"),
             .object = Components("{name: a}, {name: c}")},
        Case{.name = "MoreNodes",
             .old_worker = "{multinode: {nodeCount: 2}}",
             .worker = "{multinode: {nodeCount: 3}}"},
        Case{.name = "ManyNodesNow",
             .worker = "{multinode: {nodeCount: 2}}",
             .errors = {"spec.components[1].multinode: Invalid value: {\"nodeCount\":2}: cannot "
                        "change node topology between single-node and multi-node after "
                        "creation"}},
        Case{.name = "OneNodeNow",
             .old_worker = "{multinode: {}}",
             .errors = {"spec.components[1].multinode: Invalid value: null: cannot change node "
                        "topology between single-node and multi-node after creation"}},
        Case{.name = "Topology",
             .worker = "{topologyConstraint: {packDomain: rack}}",
             .errors = {"spec.components[1].topologyConstraint: Invalid value: "
                        "{\"packDomain\":\"rack\"}: is immutable and cannot be added, removed, or "
                        "changed after creation; delete and recreate the DynamoGraphDeployment to "
                        "change topology constraints"}},
        Case{.name = "GraphTopology",
             .errors = {"spec.topologyConstraint: Invalid value: null: is immutable and cannot be "
                        "added, removed, or changed after creation; delete and recreate the "
                        "DynamoGraphDeployment to change topology constraints"},
             .old_object = "{spec: {topologyConstraint: {clusterTopologyName: t}}}"},
        Case{.name = "Replicas", .old_worker = "{replicas: 1}", .worker = "{replicas: 4}"}),
    [](const auto& info) { return info.param.name; });

constexpr const char* kInter = "{experimental: {gpuMemoryService: {mode: InterPod}}}";
constexpr const char* kInterFailover =
    "{experimental: {gpuMemoryService: {mode: InterPod}, failover: {mode: InterPod}}}";

INSTANTIATE_TEST_SUITE_P(
    Features, GraphUpdates,
    testing::Values(
        Case{.name = "MemoryTurnedOn", .worker = "{experimental: {gpuMemoryService: {}}}"},
        Case{.name = "InterPodTurnedOn",
             .worker = kInter,
             .errors = {"spec.components[1].experimental.gpuMemoryService.mode: Invalid value: "
                        "\"InterPod\": the inter-pod GMS layout cannot be toggled after creation; "
                        "delete and recreate the DynamoGraphDeployment"}},
        Case{.name = "InterPodTurnedOff",
             .old_worker = kInter,
             .errors = {"spec.components[1].experimental.gpuMemoryService.mode: Invalid value: "
                        "null: the inter-pod GMS layout cannot be toggled after creation; delete "
                        "and recreate the DynamoGraphDeployment"}},
        Case{.name = "FailoverTurnedOn",
             .old_worker = kInter,
             .worker = kInterFailover,
             .errors = {"spec.components[1].experimental.failover: Invalid value: "
                        "{\"mode\":\"InterPod\",\"numShadows\":1}: inter-pod GMS failover cannot "
                        "be toggled after creation; delete and recreate the "
                        "DynamoGraphDeployment"}},
        Case{.name = "FailoverTurnedOff",
             .old_worker = kInterFailover,
             .worker = kInter,
             .errors = {"spec.components[1].experimental.failover: Invalid value: null: inter-pod "
                        "GMS failover cannot be toggled after creation; delete and recreate the "
                        "DynamoGraphDeployment"}},
        Case{.name = "CheckpointTurnedOnForInterPod",
             .old_worker = kInter,
             .worker = "{experimental: {gpuMemoryService: {mode: InterPod}, checkpoint: {enabled: "
                       "true}}}"},
        Case{.name = "CheckpointTurnedOnForInterPodFailover",
             .old_worker = kInterFailover,
             .worker = "{experimental: {gpuMemoryService: {mode: InterPod}, failover: {mode: "
                       "InterPod}, checkpoint: {enabled: true}}}",
             .errors = {"spec.components[1].experimental.checkpoint: Forbidden: Snapshot with "
                        "active/passive failover is temporarily unsupported"}}),
    [](const auto& info) { return info.param.name; });

// The schema refuses them; the rules are asked all the same about objects of an older version.
TEST(GraphUpdate, ComponentsBeyondAHundredAreNotLookedAt) {
  const auto graph = [](int replicas_of_last, size_t count) {
    Value object = Graph();
    Value& components = object.MakePath("spec.components");
    components = Value::Array();
    for (size_t i = 1; i <= count; ++i) {
      Value component = Yaml("{type: worker, scalingAdapter: {}, replicas: 1}");
      component.Set("name", "c" + std::to_string(i));
      components.Append(std::move(component));
    }
    components.items().back().Set("replicas", replicas_of_last);
    return object;
  };
  const auto faults = [&](size_t count) {
    const Value old = graph(1, count);
    Findings findings;
    CheckGraphUpdate(graph(2, count), {.old = &old}, findings);
    return findings.errors().size();
  };
  EXPECT_EQ(faults(100), 1U);
  EXPECT_EQ(faults(101), 0U);
}

constexpr const char* kRestartable = "{spec: {restart: {id: a}}}";

INSTANTIATE_TEST_SUITE_P(
    Restart, GraphUpdates,
    testing::Values(
        Case{.name = "Asked", .object = kRestartable},
        Case{.name = "WhileRolling",
             .errors = {"spec.restart.id: Invalid value: \"b\": cannot be changed while a rolling "
                        "update is InProgress"},
             .old_object = "{status: {rollingUpdate: {phase: InProgress}}}",
             .object = "{spec: {restart: {id: b}}}"},
        Case{.name = "WhilePending",
             .errors = {"spec.restart.id: Invalid value: \"b\": cannot be changed while a rolling "
                        "update is Pending"},
             .old_object = "{status: {rollingUpdate: {phase: Pending}}}",
             .object = "{spec: {restart: {id: b}}}"},
        Case{.name = "AfterRolling",
             .old_object = "{status: {rollingUpdate: {phase: Completed}}}",
             .object = "{spec: {restart: {id: b}}}"},
        Case{.name = "InOrder",
             .object = "{spec: {restart: {id: b, strategy: {order: [worker, Frontend]}}}}"},
        Case{.name = "InOrderTwice",
             .errors = {"spec.restart.strategy.order: Invalid value: "
                        "[\"worker\",\"Frontend\",\"worker\"]: must be unique"},
             .object = "{spec: {restart: {id: b, strategy: {order: [worker, Frontend, worker]}}}}"},
        Case{.name = "InOrderNotAll",
             .errors = {"spec.restart.strategy.order: Invalid value: [\"worker\"]: must have the "
                        "same number of unique components as the deployment"},
             .object = "{spec: {restart: {id: b, strategy: {order: [worker]}}}}"},
        Case{.name = "InOrderUnknown",
             .errors = {"spec.restart.strategy.order[1]: Unsupported value: \"frontend\": "
                        "supported values: \"Frontend\", \"worker\""},
             .object = "{spec: {restart: {id: b, strategy: {order: [worker, frontend]}}}}"},
        Case{.name = "ParallelInOrder",
             .errors = {"spec.restart.strategy.order: Forbidden: cannot be specified when strategy "
                        "is parallel"},
             .object = "{spec: {restart: {id: b, strategy: {type: Parallel, order: [worker, "
                       "Frontend]}}}}"},
        Case{.name = "Parallel",
             .object = "{spec: {restart: {id: b, strategy: {type: Parallel}}}}"}),
    [](const auto& info) { return info.param.name; });

// W34
INSTANTIATE_TEST_SUITE_P(
    OriginVersion, GraphUpdates,
    testing::Values(
        Case{.name = "Changed",
             .errors = {"metadata.annotations[nvidia.com/dynamo-operator-origin-version]: Invalid "
                        "value: \"2.0.0\": is immutable: it is set when the graph is made; leave "
                        "it as it is"},
             .old_object = "{metadata: {annotations: {nvidia.com/dynamo-operator-origin-version: "
                           "1.0.0}}}",
             .object = "{metadata: {annotations: {nvidia.com/dynamo-operator-origin-version: "
                       "2.0.0}}}"},
        Case{.name = "Added",
             .errors = {"metadata.annotations[nvidia.com/dynamo-operator-origin-version]: Invalid "
                        "value: \"2.0.0\": is immutable: it is set when the graph is made; leave "
                        "it as it is"},
             .object = "{metadata: {annotations: {nvidia.com/dynamo-operator-origin-version: "
                       "2.0.0}}}"},
        Case{.name = "LeftOutComesBack",
             .old_object = "{metadata: {annotations: {nvidia.com/dynamo-operator-origin-version: "
                           "1.0.0}}}"}),
    [](const auto& info) { return info.param.name; });

TEST(GraphUpdate, OfTheBackendIsWarnedOfAndRefused) {
  const Answer answer =
      AskUpdate(Graph("{podTemplate: null}"),
                Graph("{podTemplate: null}", "{spec: {backendFramework: sglang}}"));
  EXPECT_THAT(answer.warnings,
              ElementsAre("Changing spec.backendFramework may cause unexpected behavior"));
  EXPECT_THAT(answer.errors, ElementsAre("spec.backendFramework: Invalid value: \"sglang\": is "
                                         "immutable and cannot be changed after creation"));
}

std::vector<std::string> Scale(const std::string& user, const std::string& old_worker,
                               const std::string& worker) {
  return AskUpdate(Graph(old_worker), Graph(worker),
                   {.user = user, .setup = {.operator_account = "system:serviceaccount:op:hearth"}})
      .errors;
}

constexpr const char* kOne = "{scalingAdapter: {}}";
constexpr const char* kTwo = "{scalingAdapter: {}, replicas: 2}";

TEST(GraphUpdate, OfReplicasWithAScalerIsForTheOperatorAndPlannersOnly) {
  const std::string refused =
      "spec.components[1].replicas: Forbidden: cannot be modified directly when scaling adapter is "
      "enabled; scale or update the related DynamoGraphDeploymentScalingAdapter instead, or "
      "where there is none remove scalingAdapter first, in a change of its own";
  // Nobody known: nothing is open.
  EXPECT_THAT(Scale("", kOne, kTwo), ElementsAre(refused));
  for (const char* user :
       {"alice", "planner-serviceaccount", "system:serviceaccount:op:other",
        "system:serviceaccount:op:hearth2", "system:serviceaccount:a:b:planner-serviceaccount",
        "system:serviceaccount:planner-serviceaccount:x"}) {
    EXPECT_THAT(Scale(user, kOne, kTwo), ElementsAre(refused)) << user;
  }
  EXPECT_THAT(Scale("alice", "{replicas: 1}", kTwo), ElementsAre(refused));
  EXPECT_THAT(Scale("alice", kOne, "{replicas: 2}"), ElementsAre(refused));
  EXPECT_THAT(Scale("system:serviceaccount:op:hearth", kOne, kTwo), IsEmpty());
  EXPECT_THAT(Scale("system:serviceaccount:any:planner-serviceaccount", kOne, kTwo), IsEmpty());
  EXPECT_THAT(Scale("alice", kOne, kOne), IsEmpty());
  EXPECT_THAT(Scale("alice", "{replicas: 1}", "{replicas: 2}"), IsEmpty());
}

TEST(GraphUpdate, WithoutAnOperatorAccountOpensNothing) {
  EXPECT_THAT(AskUpdate(Graph(kOne), Graph(kTwo), {.user = ""}).errors, testing::SizeIs(1));
}

// A rule that is newer than an object, or an operator that was set up otherwise, must not keep
// anybody from changing something else.
TEST(GraphUpdate, IsNotRefusedForWhatIsStoredAlready) {
  const admission::Setup off = {.grove = false, .checkpoints = false};
  const char* worker = "{experimental: {checkpoint: {enabled: true}}}";
  EXPECT_THAT(Ask(Graph(worker), {.setup = off}).errors, testing::SizeIs(1));
  EXPECT_THAT(
      AskUpdate(Graph(worker), Graph(worker, "{spec: {labels: {a: b}}}"), {.setup = off}).errors,
      IsEmpty());
  // Also when the component has moved.
  const std::string components =
      "{spec: {components: [{name: a, type: epp}, " + std::string(kFrontend) + "]}}";
  const std::string moved =
      "{spec: {components: [" + std::string(kFrontend) + ", {name: a, type: epp}]}}";
  EXPECT_THAT(AskUpdate(Graph("{}", components), Graph("{}", moved)).errors, IsEmpty());
  // Names cannot be changed any more.
  const std::string long_name = "name: " + std::string(60, 'a');
  EXPECT_THAT(AskUpdate(Graph("{" + long_name + "}"), Graph("{" + long_name + ", replicas: 3}"),
                        {.setup = off})
                  .errors,
              IsEmpty());
  // But what is new is told beside it.
  EXPECT_THAT(
      AskUpdate(Graph(worker), Graph(worker, "{spec: {priorityClassName: high}}"), {.setup = off})
          .errors,
      ElementsAre(HasSubstr("spec.priorityClassName")));
}

// A rule may be newer than an object: what it says of the old one is no reason to refuse the new.
TEST(GraphUpdate, AnOldFaultExcusesItselfAndNoOther) {
  const auto mounts = [](const std::string& loader, const std::string& saver) {
    return Graph("{experimental: {gpuMemoryService: {checkpoint: {loader: {volumeMounts: " +
                 loader + "}, saver: {volumeMounts: " + saver + "}}}}}");
  };
  const std::string bad = "[{name: v, mountPath: /gms-intrapod-control}]";
  const std::string place = "spec.components[1].experimental.gpuMemoryService.checkpoint.";
  EXPECT_THAT(AskUpdate(mounts(bad, "[]"), mounts(bad, "[]")).errors, IsEmpty());
  // The same fault at another place, and another value at the same place.
  EXPECT_THAT(AskUpdate(mounts(bad, "[]"), mounts(bad, bad)).errors,
              ElementsAre(HasSubstr(place + "saver.volumeMounts[0].mountPath: Invalid value")));
  EXPECT_THAT(
      AskUpdate(mounts(bad, "[]"), mounts("[{name: v, mountPath: /gms-intrapod-control/x}]", "[]"))
          .errors,
      ElementsAre(HasSubstr(place + "loader.volumeMounts[0].mountPath: Invalid value: "
                                    "\"/gms-intrapod-control/x\"")));
  // The same fault of another component.
  const auto sidecars = [](const std::string& of_a, const std::string& of_b) {
    return Graph("{}", "{spec: {components: [{name: a, frontendSidecar: " + of_a +
                           "}, {name: b, frontendSidecar: " + of_b + "}]}}");
  };
  EXPECT_THAT(AskUpdate(sidecars("x", "null"), sidecars("x", "x")).errors,
              ElementsAre(HasSubstr("spec.components[1].podTemplate.spec.containers: Required")));
}

// W33
TEST(GraphUpdate, MayLeaveGrove) {
  const char* off = "{metadata: {annotations: {nvidia.com/enable-grove: \"false\"}}}";
  Value stored = Ask(Graph()).object;
  EXPECT_EQ(*stored.FindPath("spec.components")->items()[1].Find("minAvailable"), Value(1));
  // As a client would that reads, adds the annotation and writes.
  Value changed = stored;
  changed.MakePath("metadata.annotations").Set("nvidia.com/enable-grove", "false");
  const Answer answer = AskUpdate(stored, changed);
  EXPECT_THAT(answer.errors, IsEmpty());
  EXPECT_EQ(answer.object.FindPath("spec.components")->items()[1].Find("minAvailable"), nullptr);
  // A value of the user's own is the user's to take away.
  const char* two = "{replicas: 2, minAvailable: 2}";
  EXPECT_THAT(AskUpdate(Graph(two), Graph(two, off)).errors,
              ElementsAre(HasSubstr("spec.components[1].minAvailable: Forbidden")));
  EXPECT_THAT(AskUpdate(Graph(two), Graph("{replicas: 2}", off)).errors, IsEmpty());
  // Back on Grove the default is compared with what was stored.
  EXPECT_THAT(AskUpdate(Graph(two), Graph("{replicas: 2}")).errors,
              ElementsAre(HasSubstr("minAvailable is immutable after creation")));
}

}  // namespace
}  // namespace hearth::admission::dynamo
