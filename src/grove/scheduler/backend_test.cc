#include "grove/scheduler/backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/yaml.h"

namespace hearth::grove {
namespace {

using json::Value;
using testing::ElementsAre;

Value Yaml(const std::string& text) {
  const auto value = json::ParseYamlDocument(text);
  EXPECT_TRUE(value.ok()) << value.status().ToString();
  return value.ok() ? *value : Value();
}

SetFacts Set(const std::string& set_metadata, const std::string& clique_metadata = "") {
  const json::Blob blob =
      Yaml("metadata: {name: s, namespace: ns" + set_metadata +
           "}\n"
           "spec: {replicas: 1, template: {cliques: [{name: w" +
           clique_metadata + ", spec: {roleName: w, replicas: 1, podSpec: {}}}]}}\n")
          .ToBlob();
  const auto set = SetFacts::From(Identity::Of(blob.view()), blob.view());
  EXPECT_TRUE(set.ok()) << set.status().ToString();
  return set.ok() ? *set : SetFacts();
}

GangFacts Gang() {
  const json::Blob blob = Yaml(R"(
metadata:
  name: s-0
  namespace: ns
  uid: gang-uid
  labels: {grove.io/scheduler-name: kai-scheduler, kai.scheduler/queue: team}
  annotations: {grove.io/topology-name: dc, hearth.dev/applied: "1", scheduling.grove.io/volcano-queue: night}
spec:
  priorityClassName: high
  topologyConstraint: {packConstraint: {required: key/zone}}
  topologyConstraintGroupConfigs:
  - {name: s-0-g-0, podGroupNames: [s-0-g-0-l, s-0-g-0-w], topologyConstraint: {packConstraint: {preferred: key/rack}}}
  podgroups:
  - {name: s-0-r, podReferences: [], minReplicas: 2}
  - {name: s-0-g-0-l, podReferences: [], minReplicas: 1}
  - {name: s-0-g-0-w, podReferences: [], minReplicas: 3, topologyConstraint: {packConstraint: {required: key/host, preferred: key/numa}}}
)")
                              .ToBlob();
  return GangFacts::From(Identity::Of(blob.view()), blob.view());
}

CliqueFacts Clique() {
  CliqueFacts clique;
  clique.id.name = "s-0-w";
  clique.gang = "s-0";
  return clique;
}

const char* const kPod = "{metadata: {name: p, labels: {a: b}}, spec: {}}";

TEST(Backends, AreFoundByName) {
  EXPECT_THAT(BackendNames(),
              ElementsAre("default-scheduler", "kai-scheduler", "volcano", "lpx-scheduler"));
  for (const std::string& name : BackendNames()) {
    const auto backend = MakeBackend(name);
    ASSERT_NE(backend, nullptr);
    EXPECT_EQ(backend->name(), name);
    EXPECT_EQ(backend->group_type() == nullptr, !backend->RenderGroup(Gang(), {}).has_value());
    Value pod = Yaml(kPod);
    backend->PreparePod(Clique(), pod);
    EXPECT_EQ(*pod.FindPath("spec.schedulerName"), Value(name));
  }
  EXPECT_EQ(MakeBackend("nobody"), nullptr);
}

TEST(Backends, ASetHasTheSchedulerThatACliqueNames) {
  EXPECT_EQ(SchedulerOf(Set(""), "default-scheduler"), "default-scheduler");
  SetFacts set = Set("");
  set.spec.set_template.cliques[0].spec.pod_spec.Set("schedulerName", "kai-scheduler");
  EXPECT_EQ(SchedulerOf(set, "default-scheduler"), "kai-scheduler");
}

TEST(DefaultScheduler, KnowsNoGangs) {
  EXPECT_FALSE(MakeBackend("default-scheduler")->schedules_gangs());
  Value pod = Yaml(kPod);
  MakeBackend("default-scheduler")->PreparePod(Clique(), pod);
  EXPECT_EQ(*pod.Find("metadata"), *Yaml(kPod).Find("metadata"));
}

TEST(Kai, PodsNameTheirGroupAndSubgroup) {
  Value pod = Yaml(kPod);
  MakeBackend("kai-scheduler")->PreparePod(Clique(), pod);
  EXPECT_EQ(*pod.Find("metadata"), Yaml(R"(
name: p
labels: {a: b, kai.scheduler/subgroup-name: s-0-w}
annotations: {kai.scheduler/skip-podgrouper: "true", pod-group-name: s-0}
)"));
}

TEST(Kai, TheGroupHasASubgroupForEachCliqueAndEachCombination) {
  const auto group = MakeBackend("kai-scheduler")->RenderGroup(Gang(), {});
  ASSERT_TRUE(group.has_value());
  EXPECT_EQ(*group, Yaml(R"(
apiVersion: scheduling.run.ai/v2alpha2
kind: PodGroup
metadata:
  name: s-0
  namespace: ns
  labels: {grove.io/scheduler-name: kai-scheduler, kai.scheduler/queue: team}
  annotations: {grove.io/topology-name: dc, scheduling.grove.io/volcano-queue: night}
  ownerReferences:
  - {apiVersion: scheduler.grove.io/v1alpha1, kind: PodGang, name: s-0, uid: gang-uid, controller: true, blockOwnerDeletion: true}
spec:
  minMember: 6
  queue: team
  priorityClassName: high
  topologyConstraint: {topology: dc, requiredTopologyLevel: key/zone}
  subGroups:
  - {name: s-0-g-0, minSubGroup: 2, topologyConstraint: {topology: dc, preferredTopologyLevel: key/rack}}
  - {name: s-0-r, minMember: 2}
  - {name: s-0-g-0-l, minMember: 1, parent: s-0-g-0}
  - {name: s-0-g-0-w, minMember: 3, parent: s-0-g-0, topologyConstraint: {topology: dc, requiredTopologyLevel: key/host, preferredTopologyLevel: key/numa}}
)"));
}

TEST(Kai, AQueueThatTheSchedulerChangedStays) {
  const json::Blob existing =
      Yaml("{metadata: {labels: {kai.scheduler/queue: moved}}, spec: {queue: other}}").ToBlob();
  const auto group = MakeBackend("kai-scheduler")->RenderGroup(Gang(), existing.view());
  ASSERT_TRUE(group.has_value());
  EXPECT_EQ(*group->FindPath("spec.queue"), Value("other"));
  EXPECT_EQ(*group->FindPath("metadata.labels")->Find("kai.scheduler/queue"), Value("moved"));
}

TEST(Kai, AGangTellsTheQueueThatOnlyTheCliquesName) {
  const auto prepared = [](const SetFacts& set) {
    Value gang = Yaml("{metadata: {name: s-0, labels: {}}}");
    MakeBackend("kai-scheduler")->PrepareGang(set, gang);
    return gang;
  };
  EXPECT_EQ(prepared(Set("", ", annotations: {kai.scheduler/queue: q}")), Yaml(R"(
metadata: {name: s-0, labels: {kai.scheduler/queue: q}, annotations: {kai.scheduler/skip-podgrouper: "true"}}
)"));
  // The set's own is mirrored anyway.
  EXPECT_EQ(prepared(Set(", annotations: {kai.scheduler/queue: set}",
                         ", labels: {kai.scheduler/queue: q}"))
                .FindPath("metadata.labels")
                ->Find("kai.scheduler/queue"),
            nullptr);
}

TEST(Volcano, TheGroupHasAPolicyForEachClique) {
  const auto group = MakeBackend("volcano")->RenderGroup(Gang(), {});
  ASSERT_TRUE(group.has_value());
  EXPECT_EQ(*group->Find("apiVersion"), Value("scheduling.volcano.sh/v1beta1"));
  const Value& spec = *group->Find("spec");
  EXPECT_EQ(*spec.Find("minMember"), Value(6));
  EXPECT_EQ(*spec.Find("queue"), Value("night"));
  EXPECT_EQ(spec.Find("subGroupPolicy")->items()[0], Yaml(R"(
name: s-0-r
labelSelector: {matchLabels: {grove.io/podclique: s-0-r}}
matchLabelKeys: [grove.io/podclique]
subGroupSize: 2
minSubGroups: 1
)"));
  Value pod = Yaml(kPod);
  MakeBackend("volcano")->PreparePod(Clique(), pod);
  EXPECT_EQ(*pod.FindPath("metadata.annotations"),
            Yaml("{scheduling.volcano.sh/group-name: s-0, scheduling.k8s.io/group-name: s-0}"));
}

}  // namespace
}  // namespace hearth::grove
