#include "grove/model/facts.h"

#include <gtest/gtest.h>

#include "json/yaml.h"

namespace hearth::grove {
namespace {

json::Blob Object(const std::string& yaml) {
  const auto documents = json::ParseYaml(yaml);
  EXPECT_TRUE(documents.ok()) << documents.status().ToString();
  return documents->at(0).ToBlob();
}

template <typename Facts>
auto Read(const json::Blob& object) {
  return Facts::From(Identity::Of(object.view()), object.view());
}

TEST(PodFacts, TellWhatAPodIsDoing) {
  const auto pod = Read<PodFacts>(Object(R"(
metadata:
  name: s-0-w-abcde
  namespace: ns
  uid: u1
  labels: {grove.io/podclique: s-0-w, grove.io/podgang: s-0, grove.io/pod-template-hash: h}
  ownerReferences: [{apiVersion: grove.io/v1alpha1, kind: PodClique, name: s-0-w, uid: c, controller: true}]
spec:
  hostname: s-0-w-7
  schedulingGates: [{name: other}, {name: grove.io/podgang-pending-creation}]
  resourceClaims: [{name: a, resourceClaimName: claim-a}, {name: b, resourceClaimTemplateName: t}]
status:
  phase: Pending
  conditions: [{type: PodScheduled, status: "False", reason: SchedulingGated}]
)"));
  EXPECT_EQ(pod.index, 7);
  EXPECT_EQ(pod.clique, "s-0-w");
  EXPECT_TRUE(pod.gated);
  EXPECT_TRUE(pod.schedule_gated);
  EXPECT_FALSE(pod.scheduled);
  EXPECT_TRUE(pod.unstarted);
  EXPECT_TRUE(pod.active());
  EXPECT_TRUE(pod.id.IsControlledBy("c"));
  EXPECT_EQ(pod.claims, std::vector<std::string>{"claim-a"});
}

TEST(PodFacts, TellOfContainers) {
  const auto pod = Read<PodFacts>(Object(R"(
spec: {nodeName: node-1}
status:
  phase: Running
  conditions: [{type: PodScheduled, status: "True"}, {type: Ready, status: "False"}]
  containerStatuses:
  - {started: true, ready: true}
  - {started: true, ready: false, lastState: {terminated: {exitCode: 1}}}
)"));
  EXPECT_TRUE(pod.assigned);
  EXPECT_TRUE(pod.scheduled);
  EXPECT_FALSE(pod.ready);
  EXPECT_TRUE(pod.started_not_ready);
  EXPECT_TRUE(pod.failed_before);
  EXPECT_FALSE(pod.unstarted);
  EXPECT_EQ(pod.index, std::nullopt);
}

TEST(CliqueFacts, TellTheirPlace) {
  const auto clique = Read<CliqueFacts>(Object(R"(
metadata:
  name: s-1-g-2-w
  generation: 3
  labels:
    app.kubernetes.io/part-of: s
    grove.io/podcliqueset-replica-index: "1"
    grove.io/podcliquescalinggroup: s-1-g
    grove.io/podcliquescalinggroup-replica-index: "2"
    grove.io/podgang: s-1-g-0
    grove.io/base-podgang: s-1
spec: {replicas: 4, minAvailable: 2, startsAfter: [s-1-r]}
status: {replicas: 3, readyReplicas: 1}
)"));
  EXPECT_EQ(clique.id.generation, 3);
  EXPECT_EQ(clique.place.set, "s");
  EXPECT_EQ(clique.place.set_replica, 1);
  EXPECT_EQ(clique.place.group, "s-1-g");
  EXPECT_EQ(clique.place.group_replica, 2);
  EXPECT_FALSE(clique.standalone());
  EXPECT_EQ(clique.replicas, 4);
  EXPECT_EQ(clique.min_available, 2);
  EXPECT_EQ(clique.base_gang, "s-1");
  EXPECT_EQ(clique.status.replicas, 3);
}

TEST(SetFacts, FindCliquesAndTheirGroups) {
  const auto set = Read<SetFacts>(Object(R"(
metadata: {name: s}
spec:
  replicas: 2
  template:
    terminationDelay: 15m0s
    cliques:
    - {name: a, spec: {roleName: a, replicas: 1, podSpec: {}}}
    - {name: b, spec: {roleName: b, replicas: 1, podSpec: {}}}
    podCliqueScalingGroups: [{name: g, cliqueNames: [b]}]
)"));
  ASSERT_TRUE(set.ok()) << set.status().ToString();
  EXPECT_EQ(set->termination_delay(), std::chrono::minutes(15));
  EXPECT_EQ(set->GroupOf("a"), nullptr);
  EXPECT_EQ(set->GroupOf("b"), set->FindGroup("g"));
  EXPECT_EQ(set->FindClique("c"), nullptr);
  EXPECT_EQ(set->strategy(), api::grove::UpdateStrategyType::kRollingRecreate);
}

TEST(SetFacts, ASpecThatCannotBeReadIsAnError) {
  EXPECT_FALSE(Read<SetFacts>(Object("{metadata: {name: s}, spec: {replicas: many}}")).ok());
}

}  // namespace
}  // namespace hearth::grove
