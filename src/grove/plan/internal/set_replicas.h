#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "grove/plan/set_plan.h"

namespace hearth::grove {

// The cliques and groups of a set by replica, and what they amount to. What the set does not ask
// for, or is being deleted, is not there for any question.
class SetReplicas {
 public:
  // `gone` are replicas that a plan ends: their groups stay, their cliques do not.
  explicit SetReplicas(const SetWorld& world, std::set<int32_t> gone = {});

  // Null when it is not there.
  const CliqueFacts* FindClique(int32_t i, std::string_view clique_template) const;
  const GroupFacts* FindGroup(int32_t i, std::string_view group_template) const;
  // All cliques of the replica: standalone ones and members.
  const std::vector<const CliqueFacts*>& Cliques(int32_t i) const;

  // Whether all cliques outside of groups are there.
  bool HasCliques(int32_t i) const;
  bool IsAvailable(int32_t i) const;
  // Whether the replica has taken up the templates as they are now and serves.
  bool IsUpdated(int32_t i) const;
  // Whether some pod of it is scheduled.
  bool HasScheduled(int32_t i) const;
  bool IsBreached(int32_t i) const;

  // The names of templates: cliques outside of groups.
  const std::vector<std::string>& standalone() const { return standalone_; }

 private:
  struct Replica {
    std::map<std::string, const CliqueFacts*, std::less<>> standalone;
    std::map<std::string, const GroupFacts*, std::less<>> groups;
    std::vector<const CliqueFacts*> cliques;
  };
  const Replica& At(int32_t i) const;

  const SetWorld& world_;
  std::set<int32_t> gone_;
  std::vector<std::string> standalone_;
  std::map<int32_t, Replica> replicas_;
};

// Whether a group has taken up the templates and serves again.
bool IsConverged(const GroupFacts& group, const Hashes& hashes);

}  // namespace hearth::grove
