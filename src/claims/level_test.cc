#include "claims/level.h"

#include <gmock/gmock.h>

#include "base/random.h"
#include "base/testing/status_matchers.h"
#include "claims/testing/sample_sets.h"
#include "grove/model/names.h"

namespace hearth::claims {
namespace {

using api::grove::SharingScope;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

constexpr auto kAll = SharingScope::kAllReplicas;
constexpr auto kPer = SharingScope::kPerReplica;

Sharing Entry(std::string name, SharingScope scope) {
  return {.name = std::move(name), .name_space = "", .scope = scope, .filter = std::nullopt};
}

Sharing Filtered(std::vector<std::string> cliques, std::vector<std::string> groups) {
  Sharing entry = Entry("gpu", kAll);
  entry.filter = {.cliques = std::move(cliques), .groups = std::move(groups)};
  return entry;
}

std::vector<std::string> Names(const Owner& owner) {
  std::vector<std::string> names;
  for (const Claim& claim : DesiredClaims(owner)) {
    names.push_back(claim.name);
  }
  return names;
}

// RS-N1, RS-N2
TEST(ClaimName, ForAllReplicasHasAllInIt) {
  EXPECT_EQ(ClaimName("my-pcs", "gpu-mps"), "my-pcs-all-gpu-mps");
  EXPECT_EQ(ClaimName("my-pcs-0-sga", "shared-mem"), "my-pcs-0-sga-all-shared-mem");
}

// RS-N3, RS-N4
TEST(ClaimName, ForOneReplicaHasItsIndexInIt) {
  EXPECT_EQ(ClaimName("my-pcs", 0, "gpu-mps"), "my-pcs-0-gpu-mps");
  EXPECT_EQ(ClaimName("my-pcs", 5, "gpu-mps"), "my-pcs-5-gpu-mps");
  EXPECT_EQ(ClaimName("my-pcs-0-sga", 2, "shared-mem"), "my-pcs-0-sga-2-shared-mem");
}

// RS-N5: that a claim for one replica had no index cannot be said.
TEST(DesiredClaims, AreNamedByTheirScope) {
  Owner owner;
  owner.reference.name = "owner";
  owner.sharing = {Entry("gpu-mps", kAll), Entry("gpu-mps", kPer)};
  owner.indices = {3};
  EXPECT_THAT(Names(owner), ElementsAre("owner-all-gpu-mps", "owner-3-gpu-mps"));
}

TEST(DesiredClaims, AreInTheOrderOfEntriesAndThenOfIndices) {
  Owner owner;
  owner.reference.name = "o";
  owner.sharing = {Entry("b", kPer), Entry("a", kAll), Entry("c", kPer)};
  owner.indices = {0, 1, 10, 2};
  EXPECT_THAT(Names(owner), ElementsAre("o-0-b", "o-1-b", "o-2-b", "o-10-b", "o-all-a", "o-0-c",
                                        "o-1-c", "o-2-c", "o-10-c"));
}

// The door takes a name once; what came past it must not be made twice.
TEST(DesiredClaims, HaveEachNameOnce) {
  Owner owner;
  owner.reference.name = "o";
  owner.sharing = {Entry("a", kAll), Entry("a", kAll)};
  EXPECT_THAT(Names(owner), ElementsAre("o-all-a"));
}

// Entry and index can be told from a name, given the owner: nobody else's claim has it.
TEST(DesiredClaims, OfOneOwnerNeverShareAName) {
  Random random(7);
  const std::string pieces[] = {"a", "all", "0", "1", "all-a", "0-a", "1-0", "a-all"};
  for (int round = 0; round < 500; ++round) {
    Owner owner;
    owner.reference.name = pieces[random.Below(8)];
    std::set<std::pair<std::string, SharingScope>> given;
    size_t expected = 0;
    for (int i = 0; i < 6; ++i) {
      const std::string& name = pieces[random.Below(8)];
      const SharingScope scope = random.Below(2) == 0 ? kAll : kPer;
      owner.indices.insert(static_cast<int32_t>(random.Below(30)));
      owner.sharing.push_back(Entry(name, scope));
      given.emplace(name, scope);
    }
    for (const auto& [name, scope] : given) {
      expected += scope == kAll ? 1 : owner.indices.size();
    }
    const auto claims = DesiredClaims(owner);
    ASSERT_EQ(claims.size(), expected);
    for (const Claim& claim : claims) {
      const std::string& source = owner.sharing[claim.entry].name;
      if (claim.index) {
        EXPECT_EQ(grove::NameAfter(owner.reference.name, *claim.index, claim.name), source);
      } else {
        EXPECT_EQ(claim.name, owner.reference.name + "-all-" + source);
      }
    }
  }
}

// RS-L1, and 3.4: one index label for one replica, none for all of them.
TEST(ClaimLabels, OfASetSayWhoseTheyAre) {
  const auto owner = SetOwner(SampleSet("my-pcs", "{replicas: 1, template: {cliques: []}}"));
  const auto base = {Pair("app.kubernetes.io/managed-by", "grove-operator"),
                     Pair("app.kubernetes.io/part-of", "my-pcs"),
                     Pair("app.kubernetes.io/component", "resource-claim")};
  EXPECT_THAT(ClaimLabels(owner, {"c", 0, std::nullopt}), testing::UnorderedElementsAreArray(base));
  EXPECT_THAT(LevelLabels(owner), testing::UnorderedElementsAreArray(base));
  EXPECT_THAT(ClaimLabels(owner, {"c", 0, 4}),
              UnorderedElementsAre(Pair("app.kubernetes.io/managed-by", "grove-operator"),
                                   Pair("app.kubernetes.io/part-of", "my-pcs"),
                                   Pair("app.kubernetes.io/component", "resource-claim"),
                                   Pair("grove.io/podcliqueset-replica-index", "4")));
}

// Never the index of the set's replica: that is how claims of the set are told apart.
TEST(ClaimLabels, OfAGroupNameItAndItsReplica) {
  const auto set = WorkedExample();
  ASSERT_OK_AND_ASSIGN(const Owner owner, GroupOwner(set, SampleGroup(set, 0, "sga", 2)));
  EXPECT_THAT(ClaimLabels(owner, {"c", 1, 1}),
              UnorderedElementsAre(Pair("app.kubernetes.io/managed-by", "grove-operator"),
                                   Pair("app.kubernetes.io/part-of", "rs-test"),
                                   Pair("app.kubernetes.io/component", "resource-claim"),
                                   Pair("grove.io/podcliquescalinggroup", "rs-test-0-sga"),
                                   Pair("grove.io/podcliquescalinggroup-replica-index", "1")));
  EXPECT_EQ(ClaimLabels(owner, {"c", 0, std::nullopt}), LevelLabels(owner));
}

// RS-L2
TEST(ClaimLabels, OfACliqueNameItAndThePod) {
  const auto set = WorkedExample();
  ASSERT_OK_AND_ASSIGN(const Owner owner,
                       CliqueOwner(set, SampleMember(set, 0, "sga", 1, "worker-b", 1), {}));
  EXPECT_THAT(LevelLabels(owner),
              UnorderedElementsAre(Pair("app.kubernetes.io/managed-by", "grove-operator"),
                                   Pair("app.kubernetes.io/part-of", "rs-test"),
                                   Pair("app.kubernetes.io/component", "resource-claim"),
                                   Pair("grove.io/podclique", "rs-test-0-sga-1-worker-b")));
  EXPECT_EQ(ClaimLabels(owner, {"c", 0, 7}).at("grove.io/podclique-pod-index"), "7");
}

TEST(Owner, IsReferredToAsControllingAndBlocking) {
  const auto set = WorkedExample();
  const auto check = [](const Owner& owner, std::string_view kind, std::string_view name) {
    EXPECT_EQ(owner.reference.api_version, "grove.io/v1alpha1");
    EXPECT_EQ(owner.reference.kind, kind);
    EXPECT_EQ(owner.reference.name, name);
    EXPECT_EQ(owner.reference.uid, std::string(name) + "-uid");
    EXPECT_TRUE(owner.reference.controller);
    EXPECT_TRUE(owner.reference.block_owner_deletion);
    EXPECT_EQ(owner.name_space, "default");
    EXPECT_EQ(owner.set, "rs-test");
  };
  check(SetOwner(set), "PodCliqueSet", "rs-test");
  ASSERT_OK_AND_ASSIGN(const Owner group, GroupOwner(set, SampleGroup(set, 0, "sga", 2)));
  check(group, "PodCliqueScalingGroup", "rs-test-0-sga");
  EXPECT_EQ(group.part, "sga");
  ASSERT_OK_AND_ASSIGN(const Owner clique,
                       CliqueOwner(set, SampleClique(set, 0, "worker-a", 1), {}));
  check(clique, "PodClique", "rs-test-0-worker-a");
  EXPECT_EQ(clique.part, "worker-a");
}

constexpr const char* kTwoGroups = R"(
replicas: 2
template:
  cliques:
  - {name: a, spec: {roleName: a, replicas: 1, podSpec: {}}}
  - {name: b, spec: {roleName: b, replicas: 1, podSpec: {}}}
  podCliqueScalingGroups:
  - {name: sga, cliqueNames: [a], resourceSharing: [{name: x, scope: AllReplicas}]}
  - {name: sgb, cliqueNames: [b], resourceSharing: [{name: z, scope: AllReplicas}]}
)";

// RS-C1
TEST(GroupOwner, IsFoundByTheNameOfTheGroupAndItsReplica) {
  const auto set = SampleSet("my-pcs", kTwoGroups);
  ASSERT_OK_AND_ASSIGN(const Owner first, GroupOwner(set, SampleGroup(set, 0, "sga", 1)));
  EXPECT_THAT(Names(first), ElementsAre("my-pcs-0-sga-all-x"));
  ASSERT_OK_AND_ASSIGN(const Owner second, GroupOwner(set, SampleGroup(set, 1, "sgb", 1)));
  EXPECT_THAT(Names(second), ElementsAre("my-pcs-1-sgb-all-z"));
}

// RS-C2; upstream passes it over in silence, and its pods fail later.
TEST(GroupOwner, IsNotFoundByAnotherNameOrIndex) {
  const auto set = SampleSet("my-pcs", kTwoGroups);
  EXPECT_CODE(Code::kNotFound, GroupOwner(set, SampleGroup(set, 0, "other", 1)));
  auto group = SampleGroup(set, 0, "sga", 1);
  group.place.set_replica = 1;
  EXPECT_CODE(Code::kNotFound, GroupOwner(set, group));
  group.place.set_replica = std::nullopt;
  EXPECT_CODE(Code::kNotFound, GroupOwner(set, group));
  group = SampleGroup(set, 0, "sga", 1);
  group.place.set = "another";
  EXPECT_CODE(Code::kNotFound, GroupOwner(set, group));
}

// RS-Q4: nothing shared, no claims; a clique that the set does not have is told, not passed over.
TEST(CliqueOwner, WithoutSharingHasNoClaimsAndAnUnknownOneIsNotFound) {
  const auto set = SampleSet("my-pcs", kTwoGroups);
  ASSERT_OK_AND_ASSIGN(const Owner owner,
                       CliqueOwner(set, SampleMember(set, 0, "sga", 0, "a", 3), {0, 1, 2}));
  EXPECT_THAT(DesiredClaims(owner), IsEmpty());
  EXPECT_CODE(Code::kNotFound, CliqueOwner(set, SampleClique(set, 0, "gone", 1), {}));
}

// W13: a pod keeps its claim as long as it lives, whichever index it has.
TEST(CliqueOwner, HasTheIndicesOfPodsThatAreStillThere) {
  const auto set = WorkedExample();
  ASSERT_OK_AND_ASSIGN(const Owner owner,
                       CliqueOwner(set, SampleClique(set, 0, "worker-a", 1), {1, 4}));
  EXPECT_THAT(Names(owner),
              ElementsAre("rs-test-0-worker-a-0-int-tpl4", "rs-test-0-worker-a-1-int-tpl4",
                          "rs-test-0-worker-a-4-int-tpl4", "rs-test-0-worker-a-all-ext-ns-tpl"));
}

// RS-F1: entries of a clique have no filter.
TEST(IsUsedBy, EverybodyWithoutAFilter) {
  api::grove::ResourceSharing of_clique;
  of_clique.name = "gpu";
  const auto entries = SharingOf(std::vector{of_clique});
  EXPECT_TRUE(IsUsedBy(entries[0], "", ""));
  EXPECT_TRUE(IsUsedBy(entries[0], "any", ""));
  EXPECT_TRUE(IsUsedBy(Entry("gpu", kAll), "any", "any"));  // RS-F3
}

// RS-F2
TEST(IsUsedBy, WhoeverIsNotNamed) { EXPECT_TRUE(IsUsedBy(Filtered({"worker"}, {}), "", "")); }

// RS-F4, RS-F5, RS-F6
TEST(IsUsedBy, WhoIsInAFilterOfASet) {
  const Sharing cliques = Filtered({"worker", "router"}, {});
  EXPECT_TRUE(IsUsedBy(cliques, "worker", ""));
  EXPECT_TRUE(IsUsedBy(cliques, "router", "sga"));
  EXPECT_FALSE(IsUsedBy(cliques, "coordinator", ""));
  const Sharing groups = Filtered({}, {"sga", "sgb"});
  EXPECT_TRUE(IsUsedBy(groups, "any", "sga"));
  EXPECT_FALSE(IsUsedBy(groups, "any", "sgc"));
  EXPECT_FALSE(IsUsedBy(groups, "any", ""));
  const Sharing both = Filtered({"worker"}, {"sga"});
  EXPECT_TRUE(IsUsedBy(both, "worker", ""));
  EXPECT_TRUE(IsUsedBy(both, "any", "sga"));
  EXPECT_FALSE(IsUsedBy(both, "unknown", "unknown"));
}

// W12: a group called like a clique is not that clique.
TEST(IsUsedBy, ComparesCliquesWithCliquesAndGroupsWithGroups) {
  EXPECT_FALSE(IsUsedBy(Filtered({"w"}, {}), "member", "w"));
  EXPECT_FALSE(IsUsedBy(Filtered({}, {"w"}), "w", ""));
  EXPECT_FALSE(IsUsedBy(Filtered({""}, {""}), "w", ""));
}

// RS-F7
TEST(IsUsedBy, WhoIsInAFilterOfAGroup) {
  api::grove::GroupResourceSharing filtered;
  filtered.filter = api::grove::GroupResourceSharing::Filter{.child_clique_names = {"worker"}};
  const auto entries = SharingOf(std::vector{filtered, api::grove::GroupResourceSharing()});
  EXPECT_TRUE(IsUsedBy(entries[0], "worker", "sga"));
  EXPECT_FALSE(IsUsedBy(entries[0], "router", "sga"));
  EXPECT_TRUE(IsUsedBy(entries[1], "router", "sga"));
}

// RS-P5
TEST(SetOwner, HasOneClaimForAllAndOneForEachReplica) {
  const auto set = SampleSet("my-pcs", R"(
replicas: 3
template:
  cliques: []
  resourceSharing: [{name: one, scope: AllReplicas}, {name: each, scope: PerReplica}]
)");
  EXPECT_THAT(Names(SetOwner(set)),
              ElementsAre("my-pcs-all-one", "my-pcs-0-each", "my-pcs-1-each", "my-pcs-2-each"));
}

// The claims of everything in the set at these counts, in the order of S12 of the example.
std::vector<std::string> NamesOfAll(const grove::SetFacts& set, const std::vector<int>& group_sizes,
                                    int worker_pods) {
  std::vector<std::string> names = Names(SetOwner(set));
  const auto add = [&](const Result<Owner>& owner) {
    ASSERT_OK(owner);
    const auto more = Names(*owner);
    names.insert(names.end(), more.begin(), more.end());
  };
  for (int i = 0; i < static_cast<int>(group_sizes.size()); ++i) {
    add(CliqueOwner(set, SampleClique(set, i, "worker-a", i == 0 ? worker_pods : 1), {}));
    add(GroupOwner(set, SampleGroup(set, i, "sga", group_sizes[i])));
    for (int j = 0; j < group_sizes[i]; ++j) {
      add(CliqueOwner(set, SampleMember(set, i, "sga", j, "worker-b", 1), {}));
    }
  }
  return names;
}

// RS-E2E steps 4, 8 to 12: the claims that there are, by name.
TEST(DesiredClaims, OfTheWorkedExampleAreUpstreams) {
  auto set = WorkedExample();
  EXPECT_THAT(NamesOfAll(set, {2}, 1),
              ElementsAre("rs-test-all-int-tpl5", "rs-test-0-ext-tpl", "rs-test-0-int-tpl",
                          "rs-test-all-int-tpl7", "rs-test-0-worker-a-0-int-tpl4",
                          "rs-test-0-worker-a-all-ext-ns-tpl", "rs-test-0-sga-all-int-tpl2",
                          "rs-test-0-sga-0-int-tpl3", "rs-test-0-sga-1-int-tpl3",
                          "rs-test-0-sga-all-int-tpl8", "rs-test-0-sga-0-worker-b-all-int-tpl6",
                          "rs-test-0-sga-1-worker-b-all-int-tpl6"));
  EXPECT_EQ(NamesOfAll(set, {1}, 1).size(), 10U);
  EXPECT_EQ(NamesOfAll(set, {3}, 1).size(), 14U);
  EXPECT_EQ(NamesOfAll(set, {3}, 2).size(), 15U);
  set.spec.replicas = 2;
  const auto two = NamesOfAll(set, {3, 2}, 1);
  EXPECT_EQ(two.size(), 24U);
  for (const char* name :
       {"rs-test-1-ext-tpl", "rs-test-1-int-tpl", "rs-test-1-worker-a-0-int-tpl4",
        "rs-test-1-worker-a-all-ext-ns-tpl", "rs-test-1-sga-all-int-tpl2",
        "rs-test-1-sga-0-int-tpl3", "rs-test-1-sga-1-int-tpl3", "rs-test-1-sga-all-int-tpl8",
        "rs-test-1-sga-0-worker-b-all-int-tpl6", "rs-test-1-sga-1-worker-b-all-int-tpl6"}) {
    EXPECT_THAT(two, testing::Contains(name));
  }
}

}  // namespace
}  // namespace hearth::claims
