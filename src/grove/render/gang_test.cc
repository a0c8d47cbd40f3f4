#include "grove/render/gang.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grove/render/testing/read.h"

namespace hearth::grove {
namespace {

using json::Value;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kSet = R"(
metadata:
  name: s
  namespace: ns
  uid: set-uid
  labels: {team: blue, grove.io/own: x, app.kubernetes.io/component: mine}
  annotations: {note: kept, grove.io/reconcile-trigger: "1", hearth.dev/applied: "2", kubectl.kubernetes.io/last-applied-configuration: "{}"}
spec:
  replicas: 2
  template:
    priorityClassName: high
    topologyConstraint: {topologyName: dc, pack: {required: zone, preferred: rack}}
    cliques:
    - {name: router, spec: {roleName: router, replicas: 3, minAvailable: 2, podSpec: {}}}
    - {name: ldr, spec: {roleName: ldr, replicas: 1, minAvailable: 1, podSpec: {}}}
    - name: wkr
      topologyConstraint: {pack: {preferred: host}}
      spec: {roleName: wkr, replicas: 4, minAvailable: 3, podSpec: {}}
    podCliqueScalingGroups:
    - {name: g, cliqueNames: [ldr, wkr], replicas: 3, minAvailable: 2, topologyConstraint: {pack: {required: rack}}}
)";

std::optional<int32_t> None(std::string_view /*name*/) { return std::nullopt; }

std::string Key(std::string_view domain) { return "key/" + std::string(domain); }
std::string Unknown(std::string_view /*domain*/) { return ""; }

std::vector<std::string> NamesOf(const std::vector<GangOutline>& gangs) {
  std::vector<std::string> names;
  for (const GangOutline& gang : gangs) {
    names.push_back(gang.name);
  }
  return names;
}

std::vector<std::string> CliquesOf(const GangOutline& gang) {
  std::vector<std::string> names;
  for (const GangOutline::Part& part : gang.parts) {
    names.push_back(part.clique + ":" + std::to_string(part.min_replicas) + "/" +
                    std::to_string(part.replicas));
  }
  return names;
}

TEST(ExpectedGangs, AreTheBaseAndOneForEachReplicaBeyondTheMinimum) {
  const auto gangs = ExpectedGangs(ReadSet(kSet), None, None);
  EXPECT_THAT(NamesOf(gangs), ElementsAre("s-0", "s-0-g-0", "s-1", "s-1-g-0"));
  EXPECT_THAT(CliquesOf(gangs[0]),
              ElementsAre("s-0-router:2/3", "s-0-g-0-ldr:1/1", "s-0-g-0-wkr:3/4", "s-0-g-1-ldr:1/1",
                          "s-0-g-1-wkr:3/4"));
  EXPECT_THAT(CliquesOf(gangs[3]), ElementsAre("s-1-g-2-ldr:1/1", "s-1-g-2-wkr:3/4"));
  EXPECT_EQ(gangs[3].set_replica, 1);
  EXPECT_TRUE(gangs[3].scaled);
}

TEST(ExpectedGangs, FollowTheLiveSizes) {
  const auto group_replicas = [](std::string_view name) -> std::optional<int32_t> {
    return name == "s-0-g" ? std::optional(5) : name == "s-1-g" ? std::optional(1) : std::nullopt;
  };
  const auto clique_replicas = [](std::string_view name) -> std::optional<int32_t> {
    return name == "s-0-router" ? std::optional(7) : std::nullopt;
  };
  const auto gangs = ExpectedGangs(ReadSet(kSet), group_replicas, clique_replicas);
  EXPECT_THAT(NamesOf(gangs), ElementsAre("s-0", "s-0-g-0", "s-0-g-1", "s-0-g-2", "s-1"));
  EXPECT_EQ(gangs[0].parts[0].replicas, 7);
  // Below its minimum a group still has its place in the base gang.
  EXPECT_EQ(gangs[4].parts.size(), 5U);
}

TEST(ExpectedGangs, OfASetWithoutReplicasAreNone) {
  SetFacts set = ReadSet(kSet);
  set.spec.replicas = 0;
  EXPECT_THAT(ExpectedGangs(set, None, None), IsEmpty());
}

TEST(ExpectedGang, IsFoundByItsNameAlone) {
  const SetFacts set = ReadSet(kSet);
  for (const GangOutline& gang : ExpectedGangs(set, None, None)) {
    const auto found = ExpectedGang(set, gang.name, None, None);
    ASSERT_TRUE(found) << gang.name;
    EXPECT_EQ(found->name, gang.name);
    EXPECT_EQ(found->set_replica, gang.set_replica);
    EXPECT_EQ(found->scaled, gang.scaled);
    EXPECT_EQ(CliquesOf(*found), CliquesOf(gang));
  }
  for (const char* name : {"", "s", "s-", "s-2", "s-00", "s-0-", "s-0-g", "s-0-g-1", "s-0-h-0",
                           "s-0-g-2147483647", "t-0"}) {
    EXPECT_FALSE(ExpectedGang(set, name, None, None)) << name;
  }
}

// The time for all gangs of a replica would grow with the square of their number.
TEST(ExpectedGang, AsksOnlyForItsOwnSizes) {
  size_t asked = 0;
  const auto ask = [&](std::string_view) -> std::optional<int32_t> {
    ++asked;
    return 10'000;
  };
  ASSERT_TRUE(ExpectedGang(ReadSet(kSet), "s-0-g-5000", ask, ask));
  EXPECT_EQ(asked, 3U) << "the group and two cliques";
}

class GangTest : public testing::Test {
 protected:
  void AddPod(const std::string& name, const std::string& clique, const std::string& gang,
              bool deleting = false) {
    PodFacts& pod = pods_.emplace_back();
    pod.id.name_space = "ns";
    pod.id.name = name;
    pod.id.deleting = deleting;
    pod.clique = clique;
    pod.gang = gang;
  }

  Value Render(size_t which, const TopologyKey& key = Key) {
    std::vector<const PodFacts*> pods;
    for (const PodFacts& pod : pods_) {
      pods.push_back(&pod);
    }
    return RenderGang(set_, ExpectedGangs(set_, None, None)[which], pods, "default-scheduler", key);
  }

  SetFacts set_ = ReadSet(kSet);
  std::vector<PodFacts> pods_;
};

TEST_F(GangTest, MirrorsWhatUsersWroteOnTheSet) {
  const Value gang = Render(0);
  EXPECT_EQ(At(gang, "metadata.labels"), ReadYaml(R"(
app.kubernetes.io/component: podgang
app.kubernetes.io/managed-by: grove-operator
app.kubernetes.io/part-of: s
grove.io/scheduler-name: default-scheduler
team: blue
)"));
  EXPECT_EQ(At(gang, "metadata.annotations"), ReadYaml("{note: kept, grove.io/topology-name: dc}"));
  EXPECT_EQ(At(gang, "metadata.ownerReferences.0.kind"), Value("PodCliqueSet"));
  EXPECT_EQ(At(gang, "spec.priorityClassName"), Value("high"));
}

TEST_F(GangTest, NamesItsPodsInOrder) {
  AddPod("r-b", "s-0-router", "s-0");
  AddPod("r-a", "s-0-router", "s-0");
  AddPod("r-going", "s-0-router", "s-0", true);
  AddPod("r-of-another-gang", "s-0-router", "s-1");
  AddPod("l", "s-0-g-1-ldr", "s-0");
  const Value gang = Render(0, Unknown);
  EXPECT_EQ(At(gang, "spec.podgroups"), ReadYaml(R"(
- {name: s-0-router, podReferences: [{namespace: ns, name: r-a}, {namespace: ns, name: r-b}], minReplicas: 2}
- {name: s-0-g-0-ldr, podReferences: [], minReplicas: 1}
- {name: s-0-g-0-wkr, podReferences: [], minReplicas: 3}
- {name: s-0-g-1-ldr, podReferences: [{namespace: ns, name: l}], minReplicas: 1}
- {name: s-0-g-1-wkr, podReferences: [], minReplicas: 3}
)"));
}

TEST_F(GangTest, TranslatesTopology) {
  const Value gang = Render(0);
  EXPECT_EQ(At(gang, "spec.topologyConstraint"),
            ReadYaml("{packConstraint: {required: key/zone, preferred: key/rack}}"));
  EXPECT_EQ(At(gang, "spec.topologyConstraintGroupConfigs"), ReadYaml(R"(
- name: s-0-g-0
  podGroupNames: [s-0-g-0-ldr, s-0-g-0-wkr]
  topologyConstraint: {packConstraint: {required: key/rack}}
- name: s-0-g-1
  podGroupNames: [s-0-g-1-ldr, s-0-g-1-wkr]
  topologyConstraint: {packConstraint: {required: key/rack}}
)"));
  EXPECT_EQ(At(gang, "spec.podgroups.2.topologyConstraint"),
            ReadYaml("{packConstraint: {preferred: key/host}}"));
  EXPECT_EQ(At(gang, "spec.podgroups.0.topologyConstraint"), Value());
}

TEST_F(GangTest, AScaledGangHasTheTopologyOfItsGroup) {
  const Value gang = Render(1);
  EXPECT_EQ(At(gang, "metadata.name"), Value("s-0-g-0"));
  EXPECT_EQ(At(gang, "spec.topologyConstraint"),
            ReadYaml("{packConstraint: {required: key/rack}}"));
  EXPECT_EQ(At(gang, "spec.topologyConstraintGroupConfigs"), Value());
  set_.spec.set_template.scaling_groups[0].topology_constraint.reset();
  EXPECT_EQ(At(Render(1), "spec.topologyConstraint.packConstraint.required"), Value("key/zone"));
}

TEST_F(GangTest, UnknownDomainsLeaveNothing) {
  const Value gang = Render(0, Unknown);
  EXPECT_EQ(At(gang, "spec.topologyConstraint"), Value());
  EXPECT_EQ(At(gang, "spec.topologyConstraintGroupConfigs"), Value());
  EXPECT_EQ(At(gang, "metadata.annotations"), ReadYaml("{note: kept}"));
  EXPECT_EQ(At(Render(0, nullptr), "spec.topologyConstraint"), Value());
}

}  // namespace
}  // namespace hearth::grove
