// Gates of the acceptance list: gangs beyond the minimum wait for the base.
#include "grove/plan/base_gang.h"

#include <gtest/gtest.h>

#include <map>

#include "grove/plan/testing/facts.h"

namespace hearth::grove {
namespace {

// A standalone clique, and a group that needs two of its three replicas; all is scheduled.
struct Scene {
  Scene() : set(MakeSet(1)) {
    AddClique(set, "r", 1, 1);
    AddClique(set, "w", 2, 2);
    AddGroup(set, "g", {"w"}, 3, 2);
    Put(MakeStandalone(set, 0, "r"));
    Put(MakeMember(set, 0, "g", 0, "w"));
    Put(MakeMember(set, 0, "g", 1, "w"));
  }
  void Put(CliqueFacts clique) {
    MakeReady(clique);
    cliques[clique.id.name] = std::move(clique);
  }
  bool IsScheduled() const {
    return IsBaseGangScheduled(
        set, 0, [this](std::string_view) { return group_replicas; },
        [this](const std::string& name) {
          const auto found = cliques.find(name);
          return found == cliques.end() ? std::nullopt : std::optional(found->second);
        });
  }
  SetFacts set;
  std::map<std::string, CliqueFacts> cliques;
  std::optional<int32_t> group_replicas = 3;
};

TEST(BaseGang, IsScheduledWhenEveryCliqueHasItsMinimum) {
  Scene scene;
  EXPECT_TRUE(scene.IsScheduled());
  scene.cliques.at("s-0-g-1-w").status.scheduled_replicas = 1;
  EXPECT_FALSE(scene.IsScheduled());
}

TEST(BaseGang, IsNotScheduledWhileACliqueIsMissing) {
  for (const char* name : {"s-0-r", "s-0-g-0-w", "s-0-g-1-w"}) {
    Scene scene;
    scene.cliques.erase(name);
    EXPECT_FALSE(scene.IsScheduled()) << name;
  }
  Scene scene;
  scene.cliques.clear();
  EXPECT_FALSE(scene.IsScheduled());
}

TEST(BaseGang, IsNotScheduledWhileACliqueIsBeingReplaced) {
  Scene scene;
  scene.cliques.at("s-0-r").id.deleting = true;
  EXPECT_FALSE(scene.IsScheduled());
}

// Somebody scaled the group below its minimum; other groups need not wait for ever.
TEST(BaseGang, DoesNotWaitForWhatWasScaledAway) {
  Scene scene;
  scene.cliques.erase("s-0-g-1-w");
  scene.group_replicas = 1;
  EXPECT_TRUE(scene.IsScheduled());
  scene.cliques.at("s-0-r").replicas = 0;
  scene.cliques.at("s-0-r").status.scheduled_replicas = 0;
  EXPECT_TRUE(scene.IsScheduled());
}

TEST(BaseGang, AGroupThatIsNotThereYetIsWaitedFor) {
  Scene scene;
  scene.group_replicas.reset();
  EXPECT_TRUE(scene.IsScheduled());
  scene.cliques.erase("s-0-g-1-w");
  EXPECT_FALSE(scene.IsScheduled());
}

}  // namespace
}  // namespace hearth::grove
