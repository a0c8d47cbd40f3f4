// Groups of the acceptance list: Indices, Scale-in, Gates, Rolling update (RU), OnDelete (OD).
#include "grove/plan/pod_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <list>

#include "grove/plan/testing/facts.h"

namespace hearth::grove {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// A set with a clique "w" of three pods that needs two, and what is known of it.
struct Scene {
  Scene() : set(MakeSet(2)) {
    AddClique(set, "w", 3, 2);
    hashes = MakeHashes(set, 1);
    clique = MakeStandalone(set, 0, "w");
    MakeReady(clique);
  }

  // The set goes over to another template, and it is this replica's turn.
  void Update() {
    BeginUpdate(set, 2, 0);
    hashes = MakeHashes(set, 2);
    clique.template_hash = HashText("w", 2);
  }

  PodFacts& Add(int32_t index) { return pods.emplace_back(MakePod(clique, index)); }
  void AddThree() {
    pods.reserve(8);
    Add(0);
    Add(1);
    Add(2);
  }

  // The world that a plan speaks of stays.
  PodPlan Plan() {
    CliqueWorld& world = worlds.emplace_back(CliqueWorld{
        set, hashes, clique, "w", pods, former, nullptr, false, true, {}, false, At(1000)});
    world.claims_ready = claims_ready;
    world.per_replica_claims = per_replica_claims;
    world.base_gang_scheduled = base_gang_scheduled;
    world.gang_must_name_pods = gang != nullptr;
    world.gang = gang;
    return PlanPods(world);
  }

  SetFacts set;
  Hashes hashes;
  CliqueFacts clique;
  std::vector<PodFacts> pods;
  std::vector<PodFacts> former;
  std::function<bool(int32_t)> claims_ready;
  bool per_replica_claims = false;
  bool base_gang_scheduled = true;
  const GangFacts* gang = nullptr;
  std::list<CliqueWorld> worlds;
};

std::vector<int32_t> Created(const PodPlan& plan) {
  std::vector<int32_t> indices;
  for (const PodPlan::Creation& creation : plan.create) {
    indices.push_back(creation.index);
  }
  return indices;
}

std::vector<int32_t> Removed(const PodPlan& plan) {
  std::vector<int32_t> indices;
  for (const PodPlan::Removal& removal : plan.remove) {
    indices.push_back(removal.pod->index.value_or(-1));
  }
  return indices;
}

std::vector<int32_t> LetGo(const PodPlan& plan) {
  std::vector<int32_t> indices;
  for (const PodFacts* pod : plan.ungate) {
    indices.push_back(*pod->index);
  }
  return indices;
}

bool IsSettled(const PodPlan& plan) {
  return plan.create.empty() && plan.remove.empty() && plan.ungate.empty() && !plan.look_again;
}

// ---- Indices

TEST(PlanPods, TheLowestFreeIndicesAreFilled) {
  Scene scene;
  scene.Add(1);
  EXPECT_THAT(Created(scene.Plan()), ElementsAre(0, 2));
}

TEST(PlanPods, AllThereMeansNothingToDo) {
  Scene scene;
  scene.AddThree();
  EXPECT_TRUE(IsSettled(scene.Plan()));
}

TEST(PlanPods, ATerminatingPodGivesItsIndexBack) {
  Scene scene;
  scene.AddThree();
  scene.pods[1].id.deleting = true;
  const PodPlan plan = scene.Plan();
  EXPECT_THAT(Created(plan), ElementsAre(1));
  EXPECT_THAT(Removed(plan), IsEmpty());
}

TEST(PlanPods, AnEndedPodCountsAndIsNotReplaced) {
  Scene scene;
  scene.AddThree();
  scene.pods[1].phase = "Failed";
  scene.pods[1].ready = false;
  EXPECT_TRUE(IsSettled(scene.Plan()));
}

TEST(PlanPods, TheYoungerOfTwoPodsOfOneIndexIsReplaced) {  // W27
  Scene scene;
  scene.AddThree();
  scene.pods[2].index = 0;
  PodPlan plan = scene.Plan();
  ASSERT_EQ(plan.remove.size(), 1U);
  EXPECT_EQ(plan.remove[0].pod->id.name, scene.pods[2].id.name);
  EXPECT_THAT(Created(plan), IsEmpty());
  scene.pods[2].id.deleting = true;
  plan = scene.Plan();
  EXPECT_THAT(Created(plan), ElementsAre(2));
}

TEST(PlanPods, PodsOfAFormerCliqueGoAndHoldTheirIndices) {  // W43
  Scene scene;
  scene.former.push_back(MakePod(scene.clique, 0));
  scene.former.push_back(MakePod(scene.clique, 1));
  scene.former[1].id.deleting = true;
  PodPlan plan = scene.Plan();
  EXPECT_THAT(Removed(plan), ElementsAre(0));
  EXPECT_THAT(Created(plan), ElementsAre(1, 2));
  scene.per_replica_claims = true;  // until they are gone
  plan = scene.Plan();
  EXPECT_THAT(Created(plan), ElementsAre(2));
}

TEST(PlanPods, ACliqueThatIsDeletedMakesNothing) {
  Scene scene;
  scene.clique.id.deleting = true;
  EXPECT_TRUE(IsSettled(scene.Plan()));
}

// ---- Scale-in

struct OrderCase {
  const char* name;
  void (*change)(PodFacts& pod);  // of the pod that goes first
};

class ScaleIn : public testing::TestWithParam<OrderCase> {};

TEST_P(ScaleIn, TakesFirst) {
  for (int32_t first = 0; first < 3; ++first) {
    Scene scene;
    scene.AddThree();
    scene.clique.replicas = 2;
    GetParam().change(scene.pods[first]);
    EXPECT_THAT(Removed(scene.Plan()), ElementsAre(scene.pods[first].index.value_or(-1)));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, ScaleIn,
    testing::Values(OrderCase{"Ended", [](PodFacts& pod) { pod.phase = "Failed"; }},
                    OrderCase{"Unassigned", [](PodFacts& pod) { pod.assigned = false; }},
                    OrderCase{"Pending", [](PodFacts& pod) { pod.phase = "Pending"; }},
                    OrderCase{"Unknown", [](PodFacts& pod) { pod.phase = "Unknown"; }},
                    OrderCase{"NotReady", [](PodFacts& pod) { pod.ready = false; }},
                    // OD-3
                    OrderCase{"Outdated", [](PodFacts& pod) { pod.template_hash = "old"; }},
                    OrderCase{"Young", [](PodFacts& pod) { pod.id.created = At(500); }},
                    OrderCase{"Timeless", [](PodFacts& pod) { pod.id.created.reset(); }}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(PlanPods, ATerminatingPodIsNotChosenAgain) {
  Scene scene;
  scene.AddThree();
  scene.Add(3).id.deleting = true;
  scene.pods[3].ready = false;
  EXPECT_THAT(Removed(scene.Plan()), IsEmpty());
}

TEST(PlanPods, TheHighestIndexGoesWhereEachHasClaims) {  // W13, H3
  Scene scene;
  scene.AddThree();
  scene.clique.replicas = 1;
  scene.per_replica_claims = true;
  scene.pods[0].id.created = At(500);  // the youngest
  EXPECT_THAT(Removed(scene.Plan()), ElementsAre(2, 1));
  scene.pods[0].ready = false;  // readiness comes first
  EXPECT_THAT(Removed(scene.Plan()), ElementsAre(0, 2));
}

// ---- Gates

TEST(PlanPods, NewPodsAreMadeWithoutAGateWhenNothingHoldsThem) {
  Scene scene;
  scene.claims_ready = [](int32_t index) { return index != 1; };
  const PodPlan plan = scene.Plan();
  ASSERT_EQ(plan.create.size(), 3U);
  EXPECT_FALSE(plan.create[0].gated);
  EXPECT_TRUE(plan.create[1].gated);
  EXPECT_FALSE(plan.create[2].gated);
  EXPECT_EQ(plan.waiting, "1 pod wait: the claims of index 1 are not ready");
}

TEST(PlanPods, PodsWaitForTheBaseGangAndForTheirClaims) {
  Scene scene;
  scene.AddThree();
  for (PodFacts& pod : scene.pods) {
    pod = MakePending(scene.clique, *pod.index);
    pod.gated = true;
  }
  scene.base_gang_scheduled = false;
  scene.clique.base_gang = "s-0";
  PodPlan plan = scene.Plan();
  EXPECT_THAT(LetGo(plan), IsEmpty());
  EXPECT_EQ(plan.waiting, "3 pods wait: gang s-0 is not scheduled yet");
  EXPECT_FALSE(plan.look_again);
  scene.base_gang_scheduled = true;
  scene.claims_ready = [](int32_t index) { return index == 2; };
  plan = scene.Plan();
  EXPECT_THAT(LetGo(plan), ElementsAre(2));
}

TEST(PlanPods, OnlyPodsThatTheGangNamesAreLetGo) {
  Scene scene;
  scene.AddThree();
  scene.clique.replicas = 4;
  for (PodFacts& pod : scene.pods) {
    pod.gated = true;
  }
  GangFacts gang;
  gang.spec.pod_groups = {{}, {}};
  gang.spec.pod_groups[0].name = scene.clique.id.name;
  gang.spec.pod_groups[0].pod_references = {{"ns", scene.pods[1].id.name}};
  gang.spec.pod_groups[1].name = "another";
  gang.spec.pod_groups[1].pod_references = {{"ns", scene.pods[0].id.name}};
  scene.gang = &gang;
  const PodPlan plan = scene.Plan();
  EXPECT_THAT(LetGo(plan), ElementsAre(1));
  ASSERT_EQ(plan.create.size(), 1U);
  EXPECT_TRUE(plan.create[0].gated);
}

// ---- Rolling update

TEST(PlanPods, AnUpdateSelectsFirstAndTakesAwayWhenThatIsWritten) {  // RU: one pod at a time
  Scene scene;
  scene.AddThree();
  scene.Update();
  PodPlan plan = scene.Plan();
  EXPECT_THAT(Removed(plan), IsEmpty());
  EXPECT_EQ(plan.look_again, Duration::zero());
  ASSERT_TRUE(plan.progress && plan.progress->ready_pods_selected);
  EXPECT_EQ(plan.progress->ready_pods_selected->current, scene.pods[0].id.name);
  EXPECT_EQ(plan.progress->pod_template_hash, HashText("w", 2));
  // Whoever comes next finds it in the status.
  scene.clique.status.update_progress = plan.progress;
  plan = scene.Plan();
  EXPECT_THAT(Removed(plan), ElementsAre(0));
  // It is going; its place is filled, and nothing else happens until that is ready.
  scene.pods[0].id.deleting = true;
  plan = scene.Plan();
  EXPECT_THAT(Removed(plan), IsEmpty());
  EXPECT_THAT(Created(plan), ElementsAre(0));
  scene.pods[0] = MakePending(scene.clique, 0);
  plan = scene.Plan();
  EXPECT_TRUE(IsSettled(plan));
  scene.pods[0] = MakePod(scene.clique, 0);
  plan = scene.Plan();
  EXPECT_EQ(plan.progress->ready_pods_selected->completed.size(), 1U);
  EXPECT_EQ(plan.progress->ready_pods_selected->current, scene.pods[1].id.name);
}

TEST(PlanPods, AnUpdateTakesNoReadyPodBelowTheMinimum) {
  Scene scene;
  scene.AddThree();
  scene.Update();
  scene.pods[0] = MakePending(scene.clique, 0);  // of the new template, one is ready too few
  scene.pods[1].ready = false;
  PodPlan plan = scene.Plan();
  EXPECT_THAT(Removed(plan), ElementsAre(1));  // it does not serve: it goes at once
  EXPECT_FALSE(plan.progress->ready_pods_selected);
}

TEST(PlanPods, PodsThatDoNotServeGoAtOnce) {
  Scene scene;
  scene.AddThree();
  scene.pods[0] = MakePending(scene.clique, 0);
  scene.pods[1].ready = false;
  scene.pods[1].failed_before = true;
  scene.pods[2].ready = false;
  scene.pods[2].phase = "Unknown";
  scene.Update();
  const PodPlan plan = scene.Plan();
  EXPECT_THAT(Removed(plan), UnorderedElementsAre(0, 1, 2));
  // It has not ended: should one of them stay, it is tried again.
  EXPECT_TRUE(plan.progress && plan.progress->update_ended_at.empty());
}

TEST(PlanPods, AnUpdateEndsWhenNoOutdatedPodIsLeft) {
  Scene scene;
  scene.Update();
  scene.AddThree();
  const PodPlan plan = scene.Plan();
  EXPECT_EQ(plan.progress->update_ended_at, TimeText(1000));
  EXPECT_FALSE(plan.progress->ready_pods_selected);
  scene.clique.status.update_progress = plan.progress;
  EXPECT_TRUE(IsSettled(scene.Plan()));
  EXPECT_EQ(scene.Plan().progress->update_ended_at, TimeText(1000));
}

TEST(PlanPods, AnUpdateGoesOnWhenScaledInBelowWhatItHasDone) {  // RU: scale in during an update
  Scene scene;
  scene.clique.replicas = 1;
  scene.Update();
  api::grove::PodCliqueUpdateProgress progress;
  progress.set_generation_hash = HashText("all", 2);
  progress.pod_template_hash = HashText("w", 2);
  progress.ready_pods_selected.emplace();
  progress.ready_pods_selected->current = "gone";
  progress.ready_pods_selected->completed = {"a", "b", "c"};
  scene.clique.status.update_progress = progress;
  scene.Add(0);
  EXPECT_FALSE(scene.Plan().progress->update_ended_at.empty());
}

struct TurnCase {
  const char* name;
  void (*change)(Scene& scene);
};

class NotItsTurn : public testing::TestWithParam<TurnCase> {};

TEST_P(NotItsTurn, LeavesPodsAlone) {
  Scene scene;
  scene.AddThree();
  scene.Update();
  GetParam().change(scene);
  EXPECT_TRUE(IsSettled(scene.Plan()));
}

INSTANTIATE_TEST_SUITE_P(
    All, NotItsTurn,
    testing::Values(TurnCase{"AnotherReplica", [](Scene& scene) { BeginUpdate(scene.set, 2, 1); }},
                    TurnCase{"NotNotedYet",
                             [](Scene& scene) {
                               scene.set.status.current_generation_hash = HashText("all", 1);
                             }},
                    TurnCase{"TheCliqueHasTheOldTemplate",
                             [](Scene& scene) { scene.clique.template_hash = HashText("w", 1); }},
                    TurnCase{"InAScalingGroup",
                             [](Scene& scene) { scene.clique.place.group = "s-0-g"; }},
                    TurnCase{"OnDelete", [](Scene& scene) { UseOnDelete(scene.set); }}),  // OD-1
    [](const auto& info) { return std::string(info.param.name); });

TEST(PlanPods, OnDeleteRecordsTheUpdateAsEnded) {  // OD: updateEndedAt is set
  Scene scene;
  scene.AddThree();
  scene.Update();
  UseOnDelete(scene.set);
  const PodPlan plan = scene.Plan();
  ASSERT_TRUE(plan.progress);
  EXPECT_EQ(plan.progress->update_started_at, TimeText(1000));
  EXPECT_EQ(plan.progress->update_ended_at, TimeText(1000));
}

TEST(PlanPods, ChangingToOnDeleteEndsARunningUpdate) {  // OD: strategy switching
  Scene scene;
  scene.AddThree();
  scene.Update();
  scene.clique.status.update_progress = scene.Plan().progress;
  UseOnDelete(scene.set);
  const PodPlan plan = scene.Plan();
  EXPECT_THAT(Removed(plan), IsEmpty());
  EXPECT_FALSE(plan.progress->update_ended_at.empty());
  EXPECT_FALSE(plan.progress->ready_pods_selected);
}

TEST(PlanPods, AManualDeletionYieldsTheNewTemplate) {  // OD-2
  Scene scene;
  scene.AddThree();
  scene.Update();
  UseOnDelete(scene.set);
  scene.pods[1].id.deleting = true;
  EXPECT_THAT(Created(scene.Plan()), ElementsAre(1));
}

}  // namespace
}  // namespace hearth::grove
