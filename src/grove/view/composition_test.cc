#include "grove/view/composition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "claims/testing/sample_sets.h"
#include "grove/view/change.h"

namespace hearth::grove {
namespace {

using claims::WorkedExample;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

Composition Composed(const SetFacts& set, const Sizes& sizes = {}) {
  auto composition = Compose(set, sizes);
  EXPECT_OK(composition);
  return composition.ok() ? *std::move(composition) : Composition();
}

Change Between(const SetFacts& set, const Sizes& before, const Sizes& after) {
  return ChangeOf(set, Composed(set, before), Composed(set, after));
}

const Change::Kind& Of(const Change& change, std::string_view kind) {
  for (const Change::Kind& of_kind : change.kinds) {
    if (of_kind.kind == kind) {
      return of_kind;
    }
  }
  ADD_FAILURE() << "no kind " << kind;
  return change.kinds.front();
}

const ComposedClaim& Claim(const Composition& composition, std::string_view name) {
  for (const ComposedClaim& claim : composition.claims) {
    if (claim.name == name) {
      return claim;
    }
  }
  ADD_FAILURE() << "no claim " << name;
  return composition.claims.front();
}

TEST(Composition, OfTheWorkedExample) {
  const Composition all = Composed(WorkedExample());
  EXPECT_THAT(all.services, ElementsAre("rs-test-0"));
  EXPECT_THAT(all.gangs, ElementsAre("rs-test-0"));
  EXPECT_THAT(all.groups, ElementsAre("rs-test-0-sga"));
  EXPECT_THAT(all.cliques, ElementsAre("rs-test-0-worker-a", "rs-test-0-sga-0-worker-b",
                                       "rs-test-0-sga-1-worker-b"));
  EXPECT_THAT(all.pods, ElementsAre("rs-test-0-worker-a-0", "rs-test-0-sga-0-worker-b-0",
                                    "rs-test-0-sga-1-worker-b-0"));
  EXPECT_THAT(all.claims, SizeIs(12));
  EXPECT_EQ(Claim(all, "rs-test-all-int-tpl5").consumers, 3);
  EXPECT_EQ(Claim(all, "rs-test-0-int-tpl").consumers, 1);     // worker-a only
  EXPECT_EQ(Claim(all, "rs-test-all-int-tpl7").consumers, 2);  // sga only
  EXPECT_EQ(Claim(all, "rs-test-0-sga-1-int-tpl3").consumers, 1);
  EXPECT_EQ(Claim(all, "rs-test-0-sga-1-int-tpl3").owner, "rs-test-0-sga");
  EXPECT_EQ(Claim(all, "rs-test-0-sga-1-int-tpl3").owner_kind, "PodCliqueScalingGroup");
}

// The steps of the acceptance test: 12, 10, 14, 15, 14, 24, 14 claims.
TEST(Composition, FollowsTheWorkedExampleStepByStep) {
  const SetFacts set = WorkedExample();
  const Sizes two;
  const Sizes one = {{"rs-test-0-sga", 1}};
  const Sizes three = {{"rs-test-0-sga", 3}};
  const Sizes more_pods = {{"rs-test-0-sga", 3}, {"rs-test-0-worker-a", 2}};
  const Sizes more_sets = {{"rs-test-0-sga", 3}, {"rs-test", 2}};

  const Change in = Between(set, two, one);
  EXPECT_EQ(Of(in, "ResourceClaim").before, 12U);
  EXPECT_EQ(Of(in, "ResourceClaim").after, 10U);
  EXPECT_THAT(Of(in, "ResourceClaim").created, IsEmpty());
  EXPECT_THAT(Of(in, "ResourceClaim").deleted,
              ElementsAre("rs-test-0-sga-1-int-tpl3", "rs-test-0-sga-1-worker-b-all-int-tpl6"));
  EXPECT_THAT(Of(in, "Pod").deleted, ElementsAre("rs-test-0-sga-1-worker-b-0"));

  const Change out = Between(set, one, three);
  EXPECT_EQ(Of(out, "ResourceClaim").after, 14U);
  EXPECT_EQ(Of(out, "Pod").after, 4U);
  EXPECT_THAT(Of(out, "PodGang").created, ElementsAre("rs-test-0-sga-0"));

  const Change pods = Between(set, three, more_pods);
  EXPECT_THAT(Of(pods, "ResourceClaim").created, ElementsAre("rs-test-0-worker-a-1-int-tpl4"));
  EXPECT_EQ(Of(pods, "ResourceClaim").after, 15U);
  EXPECT_EQ(Of(pods, "Pod").after, 5U);
  EXPECT_EQ(Of(Between(set, more_pods, three), "ResourceClaim").after, 14U);

  const Change sets = Between(set, three, more_sets);
  EXPECT_EQ(Of(sets, "ResourceClaim").after, 24U);
  EXPECT_THAT(Of(sets, "ResourceClaim").created, SizeIs(10));
  EXPECT_EQ(Of(sets, "Pod").after, 7U);
  EXPECT_THAT(Of(Between(set, more_sets, three), "ResourceClaim").deleted, SizeIs(10));
}

TEST(Composition, CountsConsumersOfWhatStays) {
  const Change change = Between(WorkedExample(), {}, {{"rs-test-0-sga", 3}});
  for (const Change::Claim& claim : change.claims) {
    if (claim.claim.name == "rs-test-all-int-tpl5") {
      EXPECT_EQ(claim.before, 3);
      EXPECT_EQ(claim.after, 4);
    }
  }
}

TEST(Composition, WarnsOfClaimsThatTooManyPodsShare) {
  const SetFacts set = WorkedExample();
  EXPECT_THAT(Between(set, {}, {{"rs-test-0-worker-a", 254}}).warnings, IsEmpty());  // 254 + 2
  EXPECT_THAT(Between(set, {}, {{"rs-test-0-worker-a", 255}}).warnings,
              ElementsAre(HasSubstr("rs-test-all-int-tpl5 would be shared by 257 pods"),
                          HasSubstr("rs-test-0-ext-tpl would be shared by 257 pods")));
}

TEST(Composition, OfNothing) {
  const Composition none = Composed(WorkedExample(), {{"rs-test", 0}});
  EXPECT_THAT(none.pods, IsEmpty());
  EXPECT_THAT(none.services, IsEmpty());
  EXPECT_THAT(none.claims, SizeIs(2));  // those for all replicas
}

TEST(Composition, HasAnEnd) {
  constexpr int32_t kMany = 2'000'000'000;
  const SetFacts set = WorkedExample();
  for (const Sizes& sizes : {Sizes{{"rs-test", kMany}}, Sizes{{"rs-test-0-sga", kMany}},
                             Sizes{{"rs-test-0-worker-a", kMany}}}) {
    EXPECT_CODE(Code::kExhausted, Compose(set, sizes));
  }
  SetFacts greedy = set;
  greedy.spec.set_template.scaling_groups[0].min_available = kMany;
  EXPECT_CODE(Code::kExhausted, Compose(greedy, {}));
}

}  // namespace
}  // namespace hearth::grove
