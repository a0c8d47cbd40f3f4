#include <algorithm>

#include "grove/view/internal/reasons.h"

namespace hearth::grove {
namespace {

template <typename Map>
auto Find(const Map& map, std::string_view name) -> typename Map::mapped_type {
  const auto found = map.find(name);
  return found == map.end() ? nullptr : found->second;
}

template <typename Map>
const auto& FindAll(const Map& map, std::string_view name) {
  static const typename Map::mapped_type kNone;
  const auto found = map.find(name);
  return found == map.end() ? kNone : found->second;
}

bool Earlier(const PodState* a, const PodState* b) {
  const auto key = [](const PodState* pod) {
    return std::pair(pod->facts.index.value_or(-1), std::string_view(pod->facts.id.name));
  };
  return key(a) < key(b);
}

}  // namespace

Lookup::Lookup(const ClusterFacts& facts) : facts_(facts) {
  for (const GroupFacts& group : facts.groups) {
    groups_.emplace(group.id.name, &group);
  }
  for (const CliqueFacts& clique : facts.cliques) {
    cliques_.emplace(clique.id.name, &clique);
    in_gang_[clique.gang].push_back(&clique);
  }
  for (const GangFacts& gang : facts.gangs) {
    gangs_.emplace(gang.id.name, &gang);
  }
  for (const SharedClaim& claim : facts.claims) {
    claims_.emplace(claim.facts.id.name, &claim);
  }
  for (const PodState& pod : facts.pods) {
    pods_[pod.facts.clique].push_back(&pod);
  }
  for (auto& [clique, pods] : pods_) {
    std::sort(pods.begin(), pods.end(), Earlier);
  }
  for (const PodState& pod : facts.pods) {
    for (const std::string& claim : pod.facts.claims) {
      if (pod.facts.active()) {
        consumers_[claim].push_back(pod.facts.id.name);
      }
    }
  }
}

const GroupFacts* Lookup::Group(std::string_view name) const { return Find(groups_, name); }
const CliqueFacts* Lookup::Clique(std::string_view name) const { return Find(cliques_, name); }
const GangFacts* Lookup::Gang(std::string_view name) const { return Find(gangs_, name); }
const SharedClaim* Lookup::Claim(std::string_view name) const { return Find(claims_, name); }

const std::vector<const PodState*>& Lookup::PodsOf(std::string_view clique) const {
  return FindAll(pods_, clique);
}
const std::vector<const CliqueFacts*>& Lookup::CliquesOfGang(std::string_view gang) const {
  return FindAll(in_gang_, gang);
}
const std::vector<std::string>& Lookup::Consumers(std::string_view claim) const {
  return FindAll(consumers_, claim);
}

}  // namespace hearth::grove
