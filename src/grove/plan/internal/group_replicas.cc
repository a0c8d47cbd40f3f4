#include "grove/plan/internal/group_replicas.h"

#include <algorithm>
#include <utility>

#include "api/grove/constants.h"
#include "grove/model/names.h"
#include "grove/plan/internal/conditions.h"
#include "grove/plan/internal/health.h"

namespace hearth::grove {

bool HasCurrentHashes(const CliqueFacts& clique, std::string_view clique_template,
                      const Hashes& hashes) {
  return hashes.IsCurrent(clique_template, clique.template_hash) &&
         hashes.IsCurrent(clique_template, clique.status.current_pod_template_hash) &&
         hashes.IsCurrentGeneration(clique.status.current_set_generation_hash);
}

bool IsConverged(const CliqueFacts& clique, std::string_view clique_template,
                 const Hashes& hashes) {
  return !clique.id.deleting && HasCurrentHashes(clique, clique_template, hashes) &&
         clique.status.updated_replicas >= Enough(clique) &&
         clique.status.ready_replicas >= Enough(clique);
}

GroupReplicas::GroupReplicas(const GroupWorld& world, std::set<int32_t> gone)
    : world_(world), gone_(std::move(gone)) {
  for (const CliqueFacts& clique : world.members) {
    if (!clique.place.group_replica) {
      continue;
    }
    const int32_t j = *clique.place.group_replica;
    if (const auto name = NameAfter(world.group.id.name, j, clique.id.name)) {
      cliques_[j].emplace(*name, &clique);
    }
  }
}

std::vector<int32_t> GroupReplicas::Present() const {
  std::vector<int32_t> present;
  for (const auto& [j, cliques] : cliques_) {
    if (!gone_.contains(j) && std::any_of(cliques.begin(), cliques.end(), [](const auto& one) {
          return !one.second->id.deleting;
        })) {
      present.push_back(j);
    }
  }
  return present;
}

bool GroupReplicas::HasName(int32_t j, std::string_view clique_template) const {
  const auto replica = cliques_.find(j);
  return replica != cliques_.end() && replica->second.contains(clique_template);
}

const CliqueFacts* GroupReplicas::Find(int32_t j, std::string_view clique_template) const {
  if (gone_.contains(j) || !HasName(j, clique_template)) {
    return nullptr;
  }
  const CliqueFacts* clique = cliques_.find(j)->second.find(clique_template)->second;
  return clique->id.deleting ? nullptr : clique;
}

template <typename Predicate>
bool GroupReplicas::All(int32_t j, Predicate predicate) const {
  const std::vector<std::string>& names = world_.config->clique_names;
  return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    const CliqueFacts* clique = Find(j, name);
    return clique != nullptr && predicate(name, *clique);
  });
}

bool GroupReplicas::IsScheduled(int32_t j) const {
  return All(j, [](const std::string&, const CliqueFacts& clique) {
    return HasStatus(clique.status.conditions, api::grove::kPodCliqueScheduled, "True");
  });
}

bool GroupReplicas::IsAvailable(int32_t j) const {
  return IsScheduled(j) && All(j, [](const std::string&, const CliqueFacts& clique) {
           return grove::IsAvailable(clique);
         });
}

bool GroupReplicas::IsConverged(int32_t j) const {
  return All(j, [&](const std::string& name, const CliqueFacts& clique) {
    return grove::IsConverged(clique, name, world_.hashes);
  });
}

bool GroupReplicas::HasCurrentHashes(int32_t j) const {
  return All(j, [&](const std::string& name, const CliqueFacts& clique) {
    return grove::HasCurrentHashes(clique, name, world_.hashes);
  });
}

bool GroupReplicas::IsHealthy(int32_t j) const {
  return All(j, [](const std::string&, const CliqueFacts& clique) {
    const api::Condition* breach =
        FindCondition(clique.status.conditions, api::grove::kMinAvailableBreached);
    return breach != nullptr && breach->status != "True";
  });
}

bool GroupReplicas::IsOutdated(int32_t j) const {
  const std::vector<std::string>& names = world_.config->clique_names;
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    const CliqueFacts* clique = Find(j, name);
    return clique != nullptr && !world_.hashes.IsCurrent(name, clique->template_hash);
  });
}

std::optional<WallTime> GroupReplicas::BrokenSince(int32_t j) const {
  std::optional<WallTime> since;
  for (const std::string& name : world_.config->clique_names) {
    const CliqueFacts* clique = Find(j, name);
    const auto broken = clique == nullptr ? std::nullopt : grove::BrokenSince(*clique);
    if (broken && (!since || *broken < *since)) {
      since = broken;
    }
  }
  return since;
}

int32_t GroupReplicas::Count(bool (GroupReplicas::*question)(int32_t) const) const {
  int32_t count = 0;
  for (int32_t j = 0; j < world_.group.replicas; ++j) {
    count += (this->*question)(j) ? 1 : 0;
  }
  return count;
}

}  // namespace hearth::grove
