// Whatever there was before: a plan that is executed leaves nothing to do, touches nothing of
// others, and ends with exactly the claims that are wanted.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "claims/plan.h"
#include "claims/testing/claim_store.h"
#include "claims/testing/sample_sets.h"

namespace hearth::claims {
namespace {

using api::grove::SharingScope;
using json::Value;

const char* const kTemplates[] = {"gpu", "nic", "all-gpu", "0-gpu", "lost"};

std::vector<Sharing> RandomSharing(Random& random) {
  std::vector<Sharing> sharing;
  for (const char* name : kTemplates) {
    if (random.Below(2) == 0) {
      sharing.push_back(
          {.name = name,
           .name_space = random.Below(4) == 0 ? "lib" : "",
           .scope = random.Below(2) == 0 ? SharingScope::kAllReplicas : SharingScope::kPerReplica,
           .filter = std::nullopt});
    }
  }
  return sharing;
}

// Owners whose names are made to clash: "s", its clique "s-0-all", its group "s-0-0".
Owner RandomOwner(Random& random) {
  struct Kind {
    Level level;
    const char* kind;
    const char* name;
  };
  static constexpr Kind kKinds[] = {{Level::kSet, "PodCliqueSet", "s"},
                                    {Level::kSet, "PodCliqueSet", "s-all"},
                                    {Level::kGroup, "PodCliqueScalingGroup", "s-0-0"},
                                    {Level::kClique, "PodClique", "s-0-all"},
                                    {Level::kClique, "PodClique", "s-0-0"}};
  const Kind& kind = kKinds[random.Below(std::size(kKinds))];
  Owner owner;
  owner.level = kind.level;
  owner.set = "s";
  owner.name_space = "default";
  owner.reference = {"grove.io/v1alpha1",
                     kind.kind,
                     kind.name,
                     std::string(kind.kind) + kind.name + std::to_string(random.Below(2)),
                     true,
                     true};
  owner.sharing = RandomSharing(random);
  for (uint64_t i = random.Below(4); i > 0; --i) {
    owner.indices.insert(static_cast<int32_t>(random.Below(5)));
  }
  return owner;
}

Result<Template> Find(const kube::ObjectKey& key) {
  if (key.name == "lost") {
    return NotFoundError("it is lost");
  }
  return Template{.identity = key.ToString() + "/u/1", .metadata = Value(), .spec = {}};
}

class Model {
 public:
  explicit Model(uint64_t seed) : random_(seed) {}

  void Round() {
    const Owner owner = RandomOwner(random_);
    Disturb();
    const auto in_use = [&](std::string_view claim) { return in_use_.contains(claim); };
    const std::vector<ClaimFacts> before = store_.Facts();
    const ClaimPlan plan = PlanClaims(owner, {}, before, in_use, Find);
    CheckSteps(owner, before, plan);
    store_.Execute(plan);
    const std::vector<ClaimFacts> after = store_.Facts();
    const ClaimPlan again = PlanClaims(owner, {}, after, in_use, Find);
    EXPECT_TRUE(again.steps.empty()) << again.steps[0].name;
    EXPECT_EQ(again.problems.size(), plan.problems.size());
    EXPECT_EQ(again.total, plan.total);
    CheckEnd(owner, after, again);
  }

 private:
  // Things that others do in between.
  void Disturb() {
    in_use_.clear();
    for (const std::string& name : store_.Names()) {
      switch (random_.Below(12)) {
        case 0:
          store_.MarkDeleting(name);
          break;
        case 1:
          store_.Remove(name);
          break;
        case 2:
          store_.Get(name)["metadata"].Erase("ownerReferences");
          break;
        case 3:
          store_.Get(name)["metadata"].Erase("labels");
          break;
        case 4:
        case 5:
          in_use_.insert(name);
          break;
        default:
          break;
      }
    }
  }

  static const ClaimFacts* FindFacts(const std::vector<ClaimFacts>& facts, std::string_view name) {
    const auto found = std::find_if(facts.begin(), facts.end(),
                                    [&](const ClaimFacts& claim) { return claim.id.name == name; });
    return found == facts.end() ? nullptr : &*found;
  }

  void CheckSteps(const Owner& owner, const std::vector<ClaimFacts>& before,
                  const ClaimPlan& plan) {
    for (const ClaimStep& step : plan.steps) {
      const ClaimFacts* claim = FindFacts(before, step.name);
      if (step.kind == ClaimStep::Kind::kCreate) {
        EXPECT_EQ(claim, nullptr);
        continue;
      }
      ASSERT_NE(claim, nullptr);
      EXPECT_FALSE(claim->id.deleting) << step.name;
      EXPECT_NE(StateOf(owner, claim), ClaimState::kForeign) << step.name;
      if (step.kind == ClaimStep::Kind::kDelete) {
        EXPECT_TRUE(claim->id.IsControlledBy(owner.reference.uid)) << step.name;
        EXPECT_FALSE(in_use_.contains(step.name));
      }
    }
  }

  // Every wanted claim is ready and labelled, or has its problem; nothing of ours is left over.
  void CheckEnd(const Owner& owner, const std::vector<ClaimFacts>& after, const ClaimPlan& plan) {
    std::set<std::string, std::less<>> wanted;
    for (const Claim& claim : DesiredClaims(owner)) {
      wanted.insert(claim.name);
      const ClaimFacts* facts = FindFacts(after, claim.name);
      const bool problem =
          std::any_of(plan.problems.begin(), plan.problems.end(),
                      [&](const ClaimProblem& other) { return other.claim == claim.name; });
      EXPECT_EQ(StateOf(owner, facts) == ClaimState::kReady, !problem) << claim.name;
      if (!problem) {
        const grove::Labels labels = ClaimLabels(owner, claim);
        EXPECT_TRUE(std::includes(facts->labels.begin(), facts->labels.end(), labels.begin(),
                                  labels.end()));
        EXPECT_TRUE(facts->id.IsControlledBy(owner.reference.uid));
      }
    }
    const grove::Labels level = LevelLabels(owner);
    for (const ClaimFacts& claim : after) {
      const bool left_over =
          claim.id.IsControlledBy(owner.reference.uid) && !claim.id.deleting &&
          std::includes(claim.labels.begin(), claim.labels.end(), level.begin(), level.end()) &&
          !wanted.contains(claim.id.name) && !in_use_.contains(claim.id.name);
      EXPECT_FALSE(left_over) << claim.id.name;
    }
  }

  Random random_;
  ClaimStore store_;
  std::set<std::string, std::less<>> in_use_;
};

TEST(PlanModel, AnExecutedPlanLeavesNothingToDoAndNothingOfOthersTouched) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Model model(seed);
    for (int round = 0; round < 40; ++round) {
      model.Round();
      if (testing::Test::HasFailure()) {
        return;
      }
    }
  }
}

// 8.6.7
TEST(PlanModel, TheSameFactsGiveTheSamePlan) {
  const auto set = WorkedExample();
  const auto write = [&] {
    std::string text;
    const ClaimPlan plan = PlanClaims(
        SetOwner(set), set.parts().resource_claim_templates, {},
        [](std::string_view) { return false; }, Find);
    for (const ClaimStep& step : plan.steps) {
      text += step.body.Write();
    }
    return text;
  };
  EXPECT_EQ(write(), write());
  EXPECT_FALSE(write().empty());
}

}  // namespace
}  // namespace hearth::claims
