#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/seeded_hash.h"
#include "grove/view/cluster_facts.h"
#include "grove/view/tree.h"

// Why something of a set is stuck.
namespace hearth::grove {

// Looks into facts by name. The facts must outlive it.
class Lookup {
 public:
  explicit Lookup(const ClusterFacts& facts);

  const ClusterFacts& facts() const { return facts_; }
  // Null when there is none.
  const GroupFacts* Group(std::string_view name) const;
  const CliqueFacts* Clique(std::string_view name) const;
  const GangFacts* Gang(std::string_view name) const;
  const SharedClaim* Claim(std::string_view name) const;
  // In the order of their indices.
  const std::vector<const PodState*>& PodsOf(std::string_view clique) const;
  const std::vector<const CliqueFacts*>& CliquesOfGang(std::string_view gang) const;
  // Names of pods that name the claim and have not ended.
  const std::vector<std::string>& Consumers(std::string_view claim) const;

 private:
  template <typename T>
  using ByName = SeededMap<std::string_view, T>;

  const ClusterFacts& facts_;
  ByName<const GroupFacts*> groups_;
  ByName<const CliqueFacts*> cliques_;
  ByName<const GangFacts*> gangs_;
  ByName<const SharedClaim*> claims_;
  ByName<std::vector<const PodState*>> pods_;
  ByName<std::vector<const CliqueFacts*>> in_gang_;
  ByName<std::vector<std::string>> consumers_;
};

std::vector<Problem> ProblemsOf(const SetFacts& set);
std::vector<Problem> ProblemsOf(const GroupFacts& group);
std::vector<Problem> ProblemsOf(const CliqueFacts& clique);
// Of a gang that should be there.
std::vector<Problem> ProblemsOfGang(const Lookup& lookup, std::string_view gang);
// Of a pod; null: its clique is not there.
std::vector<Problem> ProblemsOf(const Lookup& lookup, const CliqueFacts* clique,
                                const PodState& pod);

}  // namespace hearth::grove
