// Groups of the acceptance list: PCS status, Generation hash, Gang termination (GT), Rolling update
// (RU), OnDelete (OD).
#include "grove/plan/set_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grove/plan/testing/facts.h"

namespace hearth::grove {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Three replicas of a standalone clique and a group of two; all is well.
struct Scene {
  Scene() : set(MakeSet(3)) {
    AddClique(set, "r", 1, 1);
    AddClique(set, "w", 2, 1);
    AddGroup(set, "g", {"w"}, 2, 1);
    hashes = MakeHashes(set, 1);
    for (int32_t i = 0; i < 3; ++i) {
      Put(i, 1);
    }
  }

  void Put(int32_t i, int version) {
    std::erase_if(groups, [&](const GroupFacts& one) { return one.place.set_replica == i; });
    std::erase_if(cliques, [&](const CliqueFacts& one) { return one.place.set_replica == i; });
    cliques.push_back(MakeStandalone(set, i, "r"));
    cliques.back().template_hash = HashText("r", version);
    MakeReady(cliques.back(), version);
    groups.push_back(MakeGroup(set, i, "g"));
    MakeReady(groups.back(), version);
    for (int32_t j = 0; j < 2; ++j) {
      cliques.push_back(MakeMember(set, i, "g", j, "w"));
      cliques.back().template_hash = HashText("w", version);
      MakeReady(cliques.back(), version);
    }
  }
  CliqueFacts& Router(int32_t i) {
    for (CliqueFacts& clique : cliques) {
      if (clique.standalone() && clique.place.set_replica == i) {
        return clique;
      }
    }
    std::abort();
  }
  GroupFacts& Group(int32_t i) {
    for (GroupFacts& group : groups) {
      if (group.place.set_replica == i) {
        return group;
      }
    }
    std::abort();
  }
  void ChangeTemplates(int version) { hashes = MakeHashes(set, version); }
  // Cliques outside of groups have the new template at once.
  void Relabel(int version) {
    for (CliqueFacts& clique : cliques) {
      clique.template_hash = clique.standalone() ? HashText("r", version) : clique.template_hash;
    }
  }

  SetWorld World() const {
    return {set, hashes, PlanHash(set, hashes, cliques), groups, cliques, At(1000), {}};
  }
  SetPlan Plan() const { return PlanSet(World()); }
  SetStatus Status(const PassNotes& notes = {}) const {
    const SetWorld world = World();
    return MakeSetStatus(world, PlanSet(world), notes);
  }
  void Go() { set.status = Status().status; }
  std::vector<int32_t> Updating() const {
    std::vector<int32_t> updating;
    for (const auto& one : set.status.update_progress->currently_updating) {
      updating.push_back(one.replica_index);
    }
    return updating;
  }

  SetFacts set;
  Hashes hashes;
  std::vector<GroupFacts> groups;
  std::vector<CliqueFacts> cliques;
};

std::vector<int32_t> Ended(const SetPlan& plan) {
  std::vector<int32_t> ended;
  for (const SetPlan::Termination& one : plan.terminate) {
    ended.push_back(one.replica);
  }
  return ended;
}

// ---- Gang termination

struct BreachCase {
  const char* name;
  void (*change)(Scene& scene);
  std::vector<int32_t> ended;
  std::optional<Duration> look_again;
};

class GangTermination : public testing::TestWithParam<BreachCase> {};

TEST_P(GangTermination, Ends) {
  Scene scene;
  GetParam().change(scene);
  const SetPlan plan = scene.Plan();
  EXPECT_EQ(Ended(plan), GetParam().ended);
  EXPECT_EQ(plan.look_again, GetParam().look_again);
}

// Now is second 1000, the delay is 600.
INSTANTIATE_TEST_SUITE_P(
    All, GangTermination,
    testing::Values(
        BreachCase{"Nothing", [](Scene&) {}, {}, {}},
        BreachCase{"BrokenClique", [](Scene& scene) { Breach(scene.Router(1), 400); }, {1}, {}},
        BreachCase{"BrokenGroup", [](Scene& scene) { Breach(scene.Group(2), 400); }, {2}, {}},
        BreachCase{"NotLongEnough",
                   [](Scene& scene) { Breach(scene.Router(1), 401); },
                   {},
                   std::chrono::seconds(1)},
        BreachCase{"OneDueAndOneNot",
                   [](Scene& scene) {
                     Breach(scene.Router(1), 401);
                     Breach(scene.Group(2), 100);
                   },
                   {2},
                   std::chrono::seconds(1)},
        // The was-healthy gate.
        BreachCase{"NeverRan", [](Scene& scene) { Breach(scene.Router(1), 5); }, {}, {}},
        BreachCase{"GroupNeverRan", [](Scene& scene) { Breach(scene.Group(1), 5); }, {}, {}},
        BreachCase{"ScheduledAndNeverReady",
                   [](Scene& scene) {
                     PutCondition(scene.Router(1).status.conditions, "MinAvailableBreached", "True",
                                  5);
                   },
                   {1},
                   {}},
        BreachCase{"BeyondTheSize",
                   [](Scene& scene) {
                     scene.set.spec.replicas = 1;
                     Breach(scene.Router(1), 100);
                   },
                   {},
                   {}},
        BreachCase{"ACliqueIsMissing",
                   [](Scene& scene) {
                     Breach(scene.Group(1), 100);
                     std::erase_if(scene.cliques,
                                   [&](const CliqueFacts& one) { return one.id.name == "s-1-r"; });
                   },
                   {},
                   {}},
        // The group's breach is older than all cliques of the replica: they get the whole delay.
        BreachCase{"MadeAnew",
                   [](Scene& scene) {
                     Breach(scene.Group(1), 100);
                     for (CliqueFacts& clique : scene.cliques) {
                       clique.id.created = At(900);
                     }
                   },
                   {},
                   std::chrono::seconds(500)},
        // The controller died in the midst: the rest goes, too.
        BreachCase{"MadeAnewInPart",
                   [](Scene& scene) {
                     Breach(scene.Group(1), 100);
                     scene.Router(1).id.created = At(900);
                   },
                   {1},
                   {}},
        BreachCase{"AllAreGoing",
                   [](Scene& scene) {
                     Breach(scene.Group(1), 100);
                     for (CliqueFacts& clique : scene.cliques) {
                       clique.id.deleting = true;
                     }
                   },
                   {},
                   {}}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(PlanSet, TellsWhatWasBroken) {
  Scene scene;
  Breach(scene.Group(1), 100);
  const SetPlan plan = scene.Plan();
  ASSERT_EQ(plan.terminate.size(), 1U);
  EXPECT_EQ(plan.terminate[0].why,
            "PodCliqueScalingGroup s-1-g has been below its minimum for 15m0s");
  EXPECT_EQ(scene.Status().status.available_replicas, 2);
}

// ---- Updates

TEST(PlanSet, TheFirstHashBeginsNoUpdate) {
  Scene scene;
  scene.set.status = {};
  scene.Go();
  EXPECT_EQ(scene.set.status.current_generation_hash, HashText("all", 1));
  EXPECT_FALSE(scene.set.status.update_progress);
  EXPECT_EQ(scene.set.status.updated_replicas, 3);
}

TEST(PlanSet, OneReplicaIsUpdatedAfterTheOther) {
  Scene scene;
  scene.ChangeTemplates(2);
  scene.Go();
  EXPECT_EQ(scene.set.status.current_generation_hash, HashText("all", 2));
  EXPECT_EQ(scene.set.status.updated_replicas, 0);
  EXPECT_EQ(scene.set.status.available_replicas, 3);
  scene.Relabel(2);
  for (int32_t i = 0; i < 3; ++i) {
    EXPECT_THAT(scene.Updating(), ElementsAre(i));
    scene.Go();
    EXPECT_THAT(scene.Updating(), ElementsAre(i));  // until it is done
    scene.Put(i, 2);
    scene.Router(i).status.ready_replicas = 0;
    scene.Go();
    EXPECT_THAT(scene.Updating(), ElementsAre(i));
    scene.Put(i, 2);
    scene.Group(i).status.current_set_generation_hash = HashText("all", 1);
    scene.Go();
    EXPECT_THAT(scene.Updating(), ElementsAre(i));
    EXPECT_EQ(scene.set.status.update_progress->updated_cliques, i + 1);
    EXPECT_EQ(scene.set.status.update_progress->updated_scaling_groups, i);
    EXPECT_EQ(scene.set.status.update_progress->total_scaling_groups, 3);
    scene.Put(i, 2);
    scene.Go();
  }
  EXPECT_THAT(scene.Updating(), IsEmpty());
  EXPECT_EQ(scene.set.status.update_progress->update_ended_at, TimeText(1000));
  EXPECT_EQ(scene.set.status.updated_replicas, 3);
}

TEST(PlanSet, ThoseThatServeLeastAreUpdatedFirst) {
  Scene scene;
  scene.ChangeTemplates(2);
  Breach(scene.Router(1), 900);  // within the delay
  EXPECT_EQ(scene.Plan().progress->currently_updating[0].replica_index, 1);
  for (CliqueFacts& clique : scene.cliques) {
    if (clique.place.set_replica == 2) {
      clique.status.scheduled_replicas = 0;
    }
  }
  EXPECT_EQ(scene.Plan().progress->currently_updating[0].replica_index, 2);
}

TEST(PlanSet, AReplicaThatIsEndedIsLeftOut) {
  Scene scene;
  scene.ChangeTemplates(2);
  Breach(scene.Router(0), 100);
  const SetPlan plan = scene.Plan();
  EXPECT_THAT(Ended(plan), ElementsAre(0));
  EXPECT_EQ(plan.progress->currently_updating[0].replica_index, 1);
}

TEST(PlanSet, AnotherChangeGoesOnWithTheReplicaThatIsUpdated) {
  Scene scene;
  BeginUpdate(scene.set, 2, 1);
  scene.ChangeTemplates(3);
  scene.Go();
  EXPECT_THAT(scene.Updating(), ElementsAre(1));
  EXPECT_EQ(scene.set.status.update_progress->update_started_at, TimeText(1000));
}

TEST(PlanSet, AReplicaThatWasScaledInIsNotWaitedFor) {  // RU: scale in during an update
  Scene scene;
  BeginUpdate(scene.set, 2, 2);
  scene.ChangeTemplates(2);
  scene.set.spec.replicas = 1;
  scene.Go();
  EXPECT_THAT(scene.Updating(), ElementsAre(0));
  EXPECT_EQ(scene.set.status.update_progress->total_cliques, 1);  // bounded
}

TEST(PlanSet, NewReplicasAreNotUpdatedAgain) {  // RU: scale out during an update
  Scene scene;
  BeginUpdate(scene.set, 2, 0);
  scene.ChangeTemplates(2);
  scene.set.spec.replicas = 4;
  scene.Put(0, 2);
  scene.Put(3, 2);
  scene.Go();
  EXPECT_THAT(scene.Updating(), ElementsAre(1));
  scene.Put(1, 2);
  scene.Put(2, 2);
  scene.Go();
  EXPECT_THAT(scene.Updating(), IsEmpty());
}

TEST(PlanSet, OnDeleteBeginsAndEndsAtOnce) {  // OD-1
  Scene scene;
  UseOnDelete(scene.set);
  scene.ChangeTemplates(2);
  scene.Go();
  EXPECT_THAT(scene.Updating(), IsEmpty());
  EXPECT_EQ(scene.set.status.update_progress->update_started_at, TimeText(1000));
  EXPECT_EQ(scene.set.status.update_progress->update_ended_at, TimeText(1000));
}

TEST(PlanSet, ChangingToOnDeleteEndsARunningUpdate) {  // OD: strategy switching
  Scene scene;
  BeginUpdate(scene.set, 2, 1);
  scene.ChangeTemplates(2);
  UseOnDelete(scene.set);
  scene.Go();
  EXPECT_THAT(scene.Updating(), IsEmpty());
  EXPECT_FALSE(scene.set.status.update_progress->update_ended_at.empty());
}

// ---- Status

TEST(SetStatus, CountsWhatIsAvailable) {
  Scene scene;
  EXPECT_EQ(scene.Status().status.available_replicas, 3);
  EXPECT_EQ(scene.Status().status.updated_replicas, 3);
  EXPECT_EQ(scene.Status().status.selector,
            "app.kubernetes.io/managed-by=grove-operator,app.kubernetes.io/part-of=s");
  scene.Router(0).status.ready_replicas = 0;
  scene.Group(1).status.available_replicas = 0;
  EXPECT_EQ(scene.Status().status.available_replicas, 1);
  scene.Router(2).id.deleting = true;
  EXPECT_EQ(scene.Status().status.available_replicas, 0);
  EXPECT_EQ(scene.Status().status.replicas, 3);
}

TEST(SetStatus, WhatShallHaveNoPodsIsAvailable) {  // W36
  Scene scene;
  scene.Router(0).replicas = 0;
  scene.Router(0).status.ready_replicas = scene.Router(0).status.updated_replicas = 0;
  scene.Group(1).replicas = 0;
  scene.Group(1).status.available_replicas = 0;
  EXPECT_EQ(scene.Status().status.available_replicas, 3);
  EXPECT_EQ(scene.Status().status.updated_replicas, 3);
}

TEST(SetStatus, WhatTheSetDoesNotAskForIsIgnored) {
  Scene scene;
  scene.set.spec.replicas = 2;
  EXPECT_EQ(scene.Status().status.available_replicas, 2);
}

TEST(SetStatus, AnUpdateOfAnotherOperatorIsBegunAnew) {  // takeover
  Scene scene;
  BeginUpdate(scene.set, 1, 1);
  scene.set.status.current_generation_hash = "bcdf";
  const SetStatus made = scene.Status();
  ASSERT_EQ(made.events.size(), 1U);
  EXPECT_EQ(made.events[0].reason, "UpdateRestarted");
  EXPECT_EQ(made.status.update_progress->update_started_at, TimeText(1000));
}

}  // namespace
}  // namespace hearth::grove
