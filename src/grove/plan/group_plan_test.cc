// Groups of the acceptance list: PCSG status, Rolling update (RU), OnDelete (OD), Gang termination.
#include "grove/plan/group_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/grove/constants.h"
#include "grove/plan/internal/conditions.h"
#include "grove/plan/testing/facts.h"

namespace hearth::grove {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::string_view kBreached = api::grove::kMinAvailableBreached;
constexpr std::string_view kTerminating = api::grove::kGangTerminationInProgress;

// A group of three replicas, each a leader and a worker, of which one must be available; all is
// well.
struct Scene {
  Scene() : set(MakeSet(2)) {
    AddClique(set, "l", 1, 1);
    AddClique(set, "w", 2, 1);
    AddGroup(set, "g", {"l", "w"}, 3, 1);
    hashes = MakeHashes(set, 1);
    group = MakeGroup(set, 0, "g");
    MakeReady(group);
    for (int32_t j = 0; j < 3; ++j) {
      Put(j);
    }
  }

  void Put(int32_t j, int version = 1) {
    std::erase_if(members, [&](const CliqueFacts& one) { return one.place.group_replica == j; });
    for (const char* name : {"l", "w"}) {
      CliqueFacts clique = MakeMember(set, 0, "g", j, name);
      clique.template_hash = HashText(name, version);
      MakeReady(clique, version);
      members.push_back(std::move(clique));
    }
  }
  CliqueFacts& At(int32_t j, const std::string& name) {
    for (CliqueFacts& clique : members) {
      if (clique.id.name == "s-0-g-" + std::to_string(j) + "-" + name) {
        return clique;
      }
    }
    std::abort();
  }
  void Remove(int32_t j) {
    std::erase_if(members, [&](const CliqueFacts& one) { return one.place.group_replica == j; });
  }
  void Update() {
    BeginUpdate(set, 2, 0);
    hashes = MakeHashes(set, 2);
  }

  GroupWorld World() const {
    return {set, hashes, group, set.FindGroup("g"), members, grove::At(1000)};
  }
  GroupPlan Plan() const { return PlanGroup(World()); }
  GroupStatus Status(const PassNotes& notes = {}) const {
    const GroupWorld world = World();
    return MakeGroupStatus(world, PlanGroup(world), notes);
  }
  // Carries the plan's record out, and the deletions at once.
  GroupPlan Go() {
    const GroupWorld world = World();
    GroupPlan plan = PlanGroup(world);
    group.status = MakeGroupStatus(world, plan, {}).status;
    for (const GroupPlan::Removal& removal : plan.remove) {
      Remove(removal.replica);
    }
    return plan;
  }

  SetFacts set;
  Hashes hashes;
  GroupFacts group;
  std::vector<CliqueFacts> members;
};

std::vector<int32_t> Removed(const GroupPlan& plan) {
  std::vector<int32_t> removed;
  for (const GroupPlan::Removal& removal : plan.remove) {
    removed.push_back(removal.replica);
  }
  return removed;
}

std::vector<std::string> Names(const std::vector<GroupPlan::Member>& members) {
  std::vector<std::string> names;
  for (const GroupPlan::Member& member : members) {
    names.push_back(std::to_string(member.replica) + member.clique->name);
  }
  return names;
}

bool IsSettled(const GroupPlan& plan) {
  return plan.create.empty() && plan.refresh.empty() && plan.remove.empty() && !plan.look_again;
}

TEST(PlanGroup, AllThereMeansNothingToDo) { EXPECT_TRUE(IsSettled(Scene().Plan())); }

TEST(PlanGroup, MissingCliquesAreMade) {
  Scene scene;
  scene.Remove(1);
  scene.At(2, "w").id.deleting = true;  // its name is not free yet
  EXPECT_THAT(Names(scene.Plan().create), ElementsAre("1l", "1w"));
}

TEST(PlanGroup, EveryReplicaBeyondTheSizeGoesEvenWithHoles) {  // W28
  Scene scene;
  scene.Put(5);
  scene.Remove(1);
  scene.group.replicas = 2;
  const GroupPlan plan = scene.Plan();
  EXPECT_THAT(Removed(plan), ElementsAre(2, 5));
  EXPECT_THAT(Names(plan.create), ElementsAre("1l", "1w"));
}

TEST(PlanGroup, AReplicaThatIsGoingIsNotSentAgain) {
  Scene scene;
  scene.group.replicas = 2;
  scene.At(2, "l").id.deleting = scene.At(2, "w").id.deleting = true;
  EXPECT_TRUE(IsSettled(scene.Plan()));
}

// ---- Broken replicas

TEST(PlanGroup, ABrokenReplicaIsMadeAnewAfterTheDelay) {
  Scene scene;
  Breach(scene.At(1, "w"), 399);  // the delay is ten minutes
  Breach(scene.At(2, "l"), 500);
  const GroupPlan plan = scene.Plan();
  EXPECT_THAT(Removed(plan), ElementsAre(1));
  EXPECT_EQ(plan.look_again, std::chrono::seconds(100));
  EXPECT_THAT(plan.create, IsEmpty());
}

TEST(PlanGroup, WithoutEnoughOthersTheSetDecides) {
  Scene scene;
  scene.group.min_available = 3;
  Breach(scene.At(1, "w"), 100);
  EXPECT_TRUE(IsSettled(scene.Plan()));
}

TEST(PlanGroup, AReplicaThatNeverRanIsNotMadeAnew) {
  Scene scene;
  Breach(scene.At(1, "w"), 3);  // as old as the object
  EXPECT_TRUE(IsSettled(scene.Plan()));
}

// ---- Rolling update

TEST(PlanGroup, AnUpdateReplacesOneReadyReplicaAfterTheOther) {
  Scene scene;
  scene.Update();
  for (int32_t j = 0; j < 3; ++j) {
    GroupPlan plan = scene.Go();
    EXPECT_THAT(Removed(plan), IsEmpty()) << j;  // it is noted first
    EXPECT_EQ(plan.look_again, Duration::zero());
    EXPECT_EQ(plan.progress->ready_replicas_selected->current, j);
    EXPECT_THAT(Removed(scene.Go()), ElementsAre(j));
    plan = scene.Go();
    EXPECT_THAT(Removed(plan), IsEmpty());
    EXPECT_EQ(plan.create.size(), 2U);
    scene.Put(j, 2);
    scene.At(j, "w").status.ready_replicas = 0;  // not ready yet
    EXPECT_TRUE(IsSettled(scene.Go()));
    scene.Put(j, 2);
  }
  const GroupPlan plan = scene.Go();
  EXPECT_EQ(plan.progress->update_ended_at, TimeText(1000));
  EXPECT_FALSE(plan.progress->ready_replicas_selected);
  EXPECT_EQ(scene.group.status.current_set_generation_hash, HashText("all", 2));
  EXPECT_EQ(scene.group.status.updated_replicas, 3);
  EXPECT_TRUE(IsSettled(scene.Go()));
}

TEST(PlanGroup, OutdatedReplicasThatDoNotServeGoAtOnce) {
  Scene scene;
  scene.Update();
  scene.At(0, "w").status.ready_replicas = 0;
  PutCondition(scene.At(2, "l").status.conditions, api::grove::kPodCliqueScheduled, "False", 90);
  const GroupPlan plan = scene.Plan();
  EXPECT_THAT(Removed(plan), ElementsAre(0, 2));
  EXPECT_EQ(plan.progress->ready_replicas_selected->current, 1);
}

TEST(PlanGroup, AnUpdateTakesNoReplicaBelowTheMinimum) {
  Scene scene;
  scene.Update();
  scene.group.min_available = 3;
  scene.Put(0, 2);
  scene.At(0, "w").status.ready_replicas = 0;
  const GroupPlan plan = scene.Plan();
  EXPECT_TRUE(IsSettled(plan));
  EXPECT_FALSE(plan.progress->ready_replicas_selected);
}

TEST(PlanGroup, ASelectedReplicaThatWasScaledInIsNotWaitedFor) {  // RU: scale in during an update
  Scene scene;
  scene.Put(0, 2);
  scene.Put(1, 2);
  scene.Update();
  scene.Go();
  ASSERT_EQ(scene.group.status.update_progress->ready_replicas_selected->current, 2);
  scene.group.replicas = 2;
  const GroupPlan plan = scene.Plan();
  EXPECT_THAT(Removed(plan), ElementsAre(2));
  EXPECT_FALSE(plan.progress->update_ended_at.empty());
}

TEST(PlanGroup, ItWaitsForItsTurn) {  // RU: one replica of the set at a time
  Scene scene;
  scene.Update();
  BeginUpdate(scene.set, 2, 1);
  const GroupPlan plan = scene.Plan();
  EXPECT_TRUE(IsSettled(plan));
  EXPECT_FALSE(plan.progress);
}

TEST(PlanGroup, OnDeleteRefreshesCliquesAndRemovesNothing) {  // OD-1
  Scene scene;
  scene.Update();
  UseOnDelete(scene.set);
  const GroupPlan plan = scene.Plan();
  EXPECT_THAT(Removed(plan), IsEmpty());
  EXPECT_THAT(Names(plan.refresh), ElementsAre("0l", "0w", "1l", "1w", "2l", "2w"));
  EXPECT_EQ(plan.progress->update_ended_at, TimeText(1000));
}

// ---- Status

struct StatusCase {
  const char* name;
  void (*change)(Scene& scene);
  int32_t scheduled;
  int32_t available;
  const char* breached;
};

class GroupStatuses : public testing::TestWithParam<StatusCase> {};

TEST_P(GroupStatuses, Are) {
  Scene scene;
  scene.group.min_available = 2;
  GetParam().change(scene);
  const api::grove::PodCliqueScalingGroupStatus status = scene.Status().status;
  EXPECT_EQ(status.replicas, scene.group.replicas);
  EXPECT_EQ(status.scheduled_replicas, GetParam().scheduled);
  EXPECT_EQ(status.available_replicas, GetParam().available);
  ASSERT_NE(FindCondition(status.conditions, kBreached), nullptr);
  EXPECT_EQ(FindCondition(status.conditions, kBreached)->status, GetParam().breached);
}

INSTANTIATE_TEST_SUITE_P(
    All, GroupStatuses,
    testing::Values(
        StatusCase{"Healthy", [](Scene&) {}, 3, 3, "False"},
        StatusCase{"OneFailed", [](Scene& scene) { Breach(scene.At(0, "l"), 900); }, 2, 2, "False"},
        StatusCase{"TwoFailed",
                   [](Scene& scene) {
                     Breach(scene.At(0, "l"), 900);
                     Breach(scene.At(1, "w"), 900);
                   },
                   1, 1, "True"},
        StatusCase{"NotReadyIsNotBroken",
                   [](Scene& scene) { scene.At(0, "w").status.ready_replicas = 0; }, 3, 2, "False"},
        StatusCase{"Incomplete",
                   [](Scene& scene) {
                     scene.Remove(0);
                     scene.Remove(1);
                   },
                   1, 1, "True"},
        StatusCase{"Terminating",
                   [](Scene& scene) {
                     scene.At(0, "l").id.deleting = true;
                     scene.At(1, "l").id.deleting = true;
                   },
                   1, 1, "True"},
        StatusCase{"NothingSaidYet",
                   [](Scene& scene) {
                     scene.At(0, "l").status = {};
                     scene.At(1, "l").status = {};
                   },
                   1, 1, "True"},
        StatusCase{"StraysDoNotCount", [](Scene& scene) { scene.Put(7); }, 3, 3, "False"},
        StatusCase{"NothingWanted", [](Scene& scene) { scene.group.replicas = 0; }, 0, 0,
                   "False"},  // W36
        StatusCase{"Updating", [](Scene& scene) { scene.Update(); }, 3, 3, "Unknown"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(GroupStatus, CountsCliquesOfAnUpdate) {
  Scene scene;
  scene.Update();
  scene.Put(1, 2);
  const GroupStatus made = scene.Status();
  EXPECT_EQ(made.status.updated_replicas, 1);
  EXPECT_EQ(made.status.update_progress->updated_cliques, 2);
  EXPECT_EQ(made.status.update_progress->total_cliques, 6);
  EXPECT_EQ(made.status.current_set_generation_hash, HashText("all", 1));
  EXPECT_EQ(made.status.selector,
            "app.kubernetes.io/managed-by=grove-operator,app.kubernetes.io/part-of=s,"
            "grove.io/podcliquescalinggroup=s-0-g");
}

TEST(GroupStatus, TellsWhenAllScheduledReplicasAreLost) {
  Scene scene;
  scene.members.clear();
  const GroupStatus made = scene.Status();
  ASSERT_EQ(made.events.size(), 1U);
  EXPECT_EQ(made.events[0].reason, "AllScheduledReplicasLost");
}

TEST(GroupStatus, TerminationIsSeenFromWhatHappenedToTheCliques) {
  Scene scene;
  scene.group.replicas = 1;
  scene.Remove(1);
  scene.Remove(2);
  Breach(scene.At(0, "w"), 300);
  Breach(scene.group, 300);
  // Broken for longer than the delay, and the cliques are there as before: not yet.
  EXPECT_EQ(FindCondition(scene.Status().status.conditions, kTerminating), nullptr);
  scene.At(0, "w").id.deleting = true;
  EXPECT_TRUE(HasStatus(scene.Status().status.conditions, kTerminating, "True"));
  // Made anew, and not there yet.
  scene.Put(0);
  scene.At(0, "w").id.created = At(950);
  Breach(scene.At(0, "w"), 950);
  scene.group.status = scene.Status().status;
  EXPECT_TRUE(HasStatus(scene.group.status.conditions, kTerminating, "True"));
  // All well again.
  scene.Put(0);
  EXPECT_EQ(FindCondition(scene.Status().status.conditions, kTerminating), nullptr);
}

TEST(GroupStatus, CliquesMissingBeforeTheDelayAreNoTermination) {
  Scene scene;
  scene.group.replicas = 1;
  Breach(scene.group, 900);
  scene.Remove(0);
  EXPECT_EQ(FindCondition(scene.Status().status.conditions, kTerminating), nullptr);
}

}  // namespace
}  // namespace hearth::grove
