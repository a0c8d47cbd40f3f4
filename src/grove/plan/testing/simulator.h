#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "grove/plan/group_plan.h"
#include "grove/plan/pod_plan.h"
#include "grove/plan/set_plan.h"
#include "grove/plan/testing/facts.h"

namespace hearth::grove {

// A cluster in miniature: a set with its groups, cliques and pods, controllers that carry plans
// out, a node that starts pods, and users and accidents. Controllers may die within any pass;
// groups and cliques may see the set as it was a while ago, yet never older than before. Each pass
// is checked for what no plan may do; what is wrong is in problems().
class Simulator {
 public:
  Simulator(SetFacts set, uint32_t seed);

  // One controller, pod, user or accident, by chance.
  void Step();
  // Every controller once, and every pod.
  void TurnOnce() { PassAll(); }
  // No more users and accidents: everything goes on in turns until nothing changes any more.
  // False: that does not come.
  bool Settle();
  // What is not as the set asks for, after Settle; empty: all is well.
  std::vector<std::string> Unsettled();

  const std::vector<std::string>& problems() const { return problems_; }
  size_t terminations() const { return terminations_; }
  size_t updates_begun() const { return updates_begun_; }
  size_t pods_replaced() const { return pods_replaced_; }
  size_t replicas_replaced() const { return replicas_replaced_; }

  // Things that happen.
  void ChangeTemplate(const std::string& clique);
  void ScaleSet(int32_t replicas);
  void BreakPods(int32_t set_replica);  // all of its pods stop serving, for good
  void Pass(Duration time) { now_ += time; }
  void UserDeletesOutdated();

  SetFacts set;
  std::map<std::string, GroupFacts> groups;
  std::map<std::string, CliqueFacts> cliques;
  std::map<std::string, PodFacts> pods;

 private:
  Hashes HashesOf(const SetFacts& seen) const;
  bool Chance(int one_in) { return random_() % static_cast<uint32_t>(one_in) == 0; }
  template <typename Map>
  typename Map::iterator Any(Map& map);

  void PassAll();
  void PassSet();
  void PassGroup(const std::string& name);
  void PassClique(const std::string& name);
  void MovePod(const std::string& name);
  void Happen();

  void MakeChildren(const Hashes& hashes);
  void PutClique(CliqueFacts clique, const Hashes& hashes, const std::string& clique_template);
  void DeleteClique(CliqueFacts& clique);
  void CheckCliquePlan(const CliqueWorld& world, const PodPlan& plan);
  void CheckGroupPlan(const GroupWorld& world, const GroupPlan& plan);
  void CheckEverything();
  void Blame(std::string problem);
  bool Dies() { return dying_ && Chance(12); }
  std::string Fingerprint() const;

  std::mt19937 random_;
  WallTime now_ = At(0);
  int made_ = 0;
  bool dying_ = true;
  SetFacts seen_;  // the set as groups and cliques see it
  std::map<int32_t, WallTime> terminated_;
  size_t terminations_ = 0;
  size_t updates_begun_ = 0;
  size_t pods_replaced_ = 0;
  size_t replicas_replaced_ = 0;  // of groups
  std::vector<std::string> problems_;
};

}  // namespace hearth::grove
