#include "grove/plan/replica_failure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grove/plan/clique_status.h"
#include "grove/plan/internal/conditions.h"
#include "grove/plan/pod_plan.h"
#include "grove/plan/testing/facts.h"

namespace hearth::grove {
namespace {

std::string ReasonOf(std::string reason, std::string message) {
  return ReplicaFailure({Code::kInternal, std::move(reason), std::move(message)}, 2, 1).reason;
}

// As an API server of Kubernetes 1.34 says it.
TEST(ReplicaFailure, NamesWhoRefuses) {
  EXPECT_EQ(
      ReasonOf(
          "Forbidden",
          R"(pods "s-0-r-*" is forbidden: exceeded quota: few, requested: pods=1, used: pods=2, limited: pods=2)"),
      "QuotaExceeded");
  EXPECT_EQ(
      ReasonOf(
          "InternalError",
          R"(Internal error occurred: failed calling webhook "a.b.c": failed to call webhook: Post "https://127.0.0.1:1/": dial tcp 127.0.0.1:1: connect: connection refused)"),
      "WebhookUnavailable");
  EXPECT_EQ(ReasonOf("", R"(admission webhook "a.b.c" denied the request: no)"),
            "DeniedByAdmission");
  EXPECT_EQ(
      ReasonOf(
          "Invalid",
          R"(pods "x" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: failed expression: false)"),
      "DeniedByAdmission");
  EXPECT_EQ(ReasonOf("Forbidden", R"(User "u" cannot create resource "pods")"), "Forbidden");
  EXPECT_EQ(ReasonOf("Invalid", R"(Pod "x" is invalid: spec.containers: Required value)"),
            "Invalid");
  EXPECT_EQ(ReasonOf("Timeout", "too slow"), "FailedCreate");
}

TEST(ReplicaFailure, IsThereAsLongAsPodsAreRefused) {
  SetFacts set = MakeSet(1);
  AddClique(set, "w", 2, 2);
  const Hashes hashes = MakeHashes(set, 1);
  CliqueFacts clique = MakeStandalone(set, 0, "w");
  const auto pass = [&](const PassNotes& notes) {
    const CliqueWorld world{set,     hashes, clique, "w", {},    {},
                            nullptr, false,  true,   {},  false, At(9)};
    clique.status = MakeCliqueStatus(world, {}, notes).status;
  };
  PassNotes refused;
  refused.refused = ReplicaFailure({Code::kInternal, "", "exceeded quota"}, 2, 1);
  pass(refused);
  EXPECT_TRUE(HasReplicaFailure(clique));
  pass({});
  EXPECT_FALSE(HasReplicaFailure(clique));
  EXPECT_EQ(FindCondition(clique.status.conditions, "ReplicaFailure"), nullptr);
}

// A pod of a former PodClique that does not end keeps its index, and with it its claims.
TEST(ReplicaFailure, NamesThePodThatHoldsAnIndex) {
  SetFacts set = MakeSet(1);
  AddClique(set, "w", 2, 2);
  const Hashes hashes = MakeHashes(set, 1);
  const CliqueFacts clique = MakeStandalone(set, 0, "w");
  PodFacts former = MakePod(clique, 1);
  former.id.name = "stuck";
  former.id.deleting = true;
  const auto status = [&](std::vector<PodFacts> formers) {
    const CliqueWorld world{set,     hashes, clique, "w", {},   std::move(formers),
                            nullptr, false,  true,   {},  true, At(9)};
    const PodPlan plan = PlanPods(world);
    EXPECT_EQ(plan.create.size(), world.former.empty() ? 2U : 1U);
    return MakeCliqueStatus(world, plan, {}).status;
  };
  const auto held = status({former});
  const auto* condition = FindCondition(held.conditions, "ReplicaFailure");
  ASSERT_NE(condition, nullptr);
  EXPECT_EQ(condition->reason, kIndexHeld);
  EXPECT_THAT(condition->message, testing::HasSubstr("pod stuck of a former PodClique"));
  CliqueFacts after = clique;
  after.status = held;
  EXPECT_FALSE(HasReplicaFailure(after)) << "nobody refused anything";
  EXPECT_EQ(FindCondition(status({}).conditions, "ReplicaFailure"), nullptr);
}

TEST(PlanPods, MakesABoundedNumberInOnePassAndGoesOn) {
  SetFacts set = MakeSet(1);
  AddClique(set, "w", static_cast<int32_t>(kMostPerPass) + 5, 1);
  const Hashes hashes = MakeHashes(set, 1);
  const CliqueWorld world{
      set,   hashes, MakeStandalone(set, 0, "w"), "w", {}, {}, nullptr, false, true, {},
      false, At(9)};
  const PodPlan plan = PlanPods(world);
  EXPECT_EQ(plan.create.size(), kMostPerPass);
  EXPECT_EQ(plan.look_again, Duration::zero());
}

}  // namespace
}  // namespace hearth::grove
