#include "claims/place.h"

#include <gmock/gmock.h>

#include "base/testing/status_matchers.h"
#include "claims/testing/sample_sets.h"

namespace hearth::claims {
namespace {

using testing::HasSubstr;

TEST(PlaceOf, ACliqueThatStandsAlone) {
  const auto set = WorkedExample();
  ASSERT_OK_AND_ASSIGN(const PodPlace place, PlaceOf(set, SampleClique(set, 3, "worker-a", 1), 5));
  EXPECT_EQ(place.clique_template, "worker-a");
  EXPECT_EQ(place.clique, "rs-test-3-worker-a");
  EXPECT_EQ(place.set_replica, 3);
  EXPECT_EQ(place.group_template, "");
  EXPECT_EQ(place.index, 5);
}

TEST(PlaceOf, ACliqueOfAScalingGroup) {
  const auto set = WorkedExample();
  ASSERT_OK_AND_ASSIGN(const PodPlace place,
                       PlaceOf(set, SampleMember(set, 1, "sga", 4, "worker-b", 1), 0));
  EXPECT_EQ(place.clique_template, "worker-b");
  EXPECT_EQ(place.clique, "rs-test-1-sga-4-worker-b");
  EXPECT_EQ(place.group_template, "sga");
  EXPECT_EQ(place.group, "rs-test-1-sga");
  EXPECT_EQ(place.group_replica, 4);
}

// W26: a name is parsed, not guessed from how it ends.
TEST(PlaceOf, ACliqueWhoseNameEndsLikeAnothers) {
  const auto set = SampleSet("s", R"(
replicas: 1
template:
  cliques:
  - {name: worker, spec: {roleName: a, replicas: 1, podSpec: {}}}
  - {name: prefill-worker, spec: {roleName: b, replicas: 1, podSpec: {}}}
)");
  ASSERT_OK_AND_ASSIGN(const PodPlace place,
                       PlaceOf(set, SampleClique(set, 0, "prefill-worker", 1), 0));
  EXPECT_EQ(place.clique_template, "prefill-worker");
}

void ExpectMisfit(const grove::SetFacts& set, const grove::CliqueFacts& clique) {
  const auto place = PlaceOf(set, clique, 0);
  EXPECT_CODE(Code::kInvalid, place);
  EXPECT_THAT(place.status().message(), HasSubstr(clique.id.name));
}

// The errors of 3.6: no pod without its claims.
TEST(PlaceOf, WhatDoesNotFitTheSetIsToldWithItsName) {
  const auto set = WorkedExample();
  ExpectMisfit(set, SampleClique(set, 0, "unknown", 1));
  ExpectMisfit(set, SampleClique(set, 0, "worker-b", 1));  // is in a group
  ExpectMisfit(set, SampleMember(set, 0, "sga", 0, "worker-a", 1));
  ExpectMisfit(set, SampleMember(set, 0, "sgx", 0, "worker-b", 1));
  auto clique = SampleMember(set, 0, "sga", 0, "worker-b", 1);
  clique.place.group_replica = std::nullopt;
  ExpectMisfit(set, clique);
  clique.place.group_replica = 1;
  ExpectMisfit(set, clique);
  clique = SampleClique(set, 0, "worker-a", 1);
  clique.place.set_replica = 1;
  ExpectMisfit(set, clique);
  clique.place.set_replica = std::nullopt;
  ExpectMisfit(set, clique);
  clique = SampleClique(set, 0, "worker-a", 1);
  clique.place.set = "other";
  ExpectMisfit(set, clique);
}

}  // namespace
}  // namespace hearth::claims
