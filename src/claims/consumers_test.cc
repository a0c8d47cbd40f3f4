#include "claims/consumers.h"

#include <gmock/gmock.h>

#include "base/testing/status_matchers.h"
#include "claims/testing/sample_sets.h"

namespace hearth::claims {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kSpec = R"(
replicas: 3
template:
  cliques:
  - name: alone
    resourceSharing: [{name: one, scope: AllReplicas}, {name: each, scope: PerReplica}]
    spec: {roleName: a, replicas: 4, podSpec: {}}
  - {name: x, spec: {roleName: x, replicas: 5, podSpec: {}}}
  - {name: z, spec: {roleName: z, replicas: 6, podSpec: {}}}
  podCliqueScalingGroups:
  - name: g
    cliqueNames: [x, z]
    replicas: 2
    resourceSharing:
    - {name: one, scope: AllReplicas}
    - {name: each, scope: PerReplica}
    - {name: some, scope: PerReplica, filter: {childCliqueNames: [z]}}
  resourceSharing:
  - {name: one, scope: AllReplicas}
  - {name: each, scope: PerReplica}
  - {name: by-clique, scope: PerReplica, filter: {childCliqueNames: [alone, x]}}
  - {name: by-group, scope: PerReplica, filter: {childScalingGroupNames: [g], childCliqueNames: [x]}}
)";

TEST(ConsumersOf, ClaimsOfASet) {
  const auto set = SampleSet("s", kSpec);
  EXPECT_THAT(ConsumersOf(set, SetOwner(set)), ElementsAre(3 * 26, 26, 4 + 10, 22));
}

TEST(ConsumersOf, ClaimsOfAGroupByItsLiveReplicas) {
  const auto set = SampleSet("s", kSpec);
  ASSERT_OK_AND_ASSIGN(const Owner owner, GroupOwner(set, SampleGroup(set, 0, "g", 7)));
  EXPECT_THAT(ConsumersOf(set, owner), ElementsAre(7 * 11, 11, 6));
}

TEST(ConsumersOf, ClaimsOfACliqueByItsLiveReplicas) {
  const auto set = SampleSet("s", kSpec);
  ASSERT_OK_AND_ASSIGN(const Owner owner, CliqueOwner(set, SampleClique(set, 0, "alone", 9), {}));
  EXPECT_THAT(ConsumersOf(set, owner), ElementsAre(9, 1));
}

// H10, W21
TEST(TooManyConsumers, AreMoreThan256) {
  const auto set = SampleSet("s", kSpec);
  const auto told = [&](int32_t pods) {
    const auto owner = CliqueOwner(set, SampleClique(set, 0, "alone", pods), {});
    EXPECT_OK(owner);
    return TooManyConsumers(set, *owner);
  };
  EXPECT_EQ(told(256), "");
  EXPECT_THAT(told(257), HasSubstr("s-0-alone-all-one is shared by 257 pods"));
}

TEST(TooManyConsumers, OfAReplicaAreToldWithTheNameOfAClaimThatIsThere) {
  auto set = SampleSet("s", kSpec);
  set.spec.set_template.resource_sharing.erase(set.spec.set_template.resource_sharing.begin());
  set.spec.set_template.cliques[0].spec.replicas = 1000;
  EXPECT_THAT(TooManyConsumers(set, SetOwner(set)), HasSubstr("s-0-each is shared by 1022 pods"));
  set.spec.replicas = 0;
  EXPECT_EQ(TooManyConsumers(set, SetOwner(set)), "");
}

TEST(ConsumersOf, CountsThatNoNumberHoldsAreTheLargest) {
  auto set = SampleSet("s", kSpec);
  constexpr int32_t kMost = std::numeric_limits<int32_t>::max();
  set.spec.set_template.cliques[1].spec.replicas = kMost;
  set.spec.set_template.scaling_groups[0].replicas = kMost;
  EXPECT_EQ(ConsumersOf(set, SetOwner(set))[0], std::numeric_limits<int64_t>::max());
}

}  // namespace
}  // namespace hearth::claims
