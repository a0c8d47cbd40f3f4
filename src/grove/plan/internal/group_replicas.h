#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "grove/plan/group_plan.h"

namespace hearth::grove {

// The cliques of a scaling group by replica, and what they amount to. A clique that is being
// deleted is not there for any question but HasName.
class GroupReplicas {
 public:
  // `gone` are replicas that a plan takes away.
  explicit GroupReplicas(const GroupWorld& world, std::set<int32_t> gone = {});

  // Replicas of which some clique is there, also those beyond the group's size.
  std::vector<int32_t> Present() const;
  // Whether the name is taken, if only by a clique that is being deleted.
  bool HasName(int32_t j, std::string_view clique_template) const;
  // Null when it is not there.
  const CliqueFacts* Find(int32_t j, std::string_view clique_template) const;

  bool IsScheduled(int32_t j) const;
  bool IsAvailable(int32_t j) const;
  bool IsConverged(int32_t j) const;
  // Whether all cliques carry the current hashes, ready or not.
  bool HasCurrentHashes(int32_t j) const;
  // Complete, and no clique is below its minimum or has not said yet.
  bool IsHealthy(int32_t j) const;
  // Whether some clique is of an older template.
  bool IsOutdated(int32_t j) const;
  // The earliest breach of a clique that ran before; nothing: none.
  std::optional<WallTime> BrokenSince(int32_t j) const;

  // Replicas below the group's size for which the question is answered with yes.
  int32_t Count(bool (GroupReplicas::*question)(int32_t) const) const;

 private:
  template <typename Predicate>
  bool All(int32_t j, Predicate predicate) const;

  const GroupWorld& world_;
  std::set<int32_t> gone_;
  std::map<int32_t, std::map<std::string, const CliqueFacts*, std::less<>>> cliques_;
};

// Whether a clique carries the current hashes.
bool HasCurrentHashes(const CliqueFacts& clique, std::string_view clique_template,
                      const Hashes& hashes);

}  // namespace hearth::grove
