#include "grove/plan/internal/set_replicas.h"

#include <algorithm>
#include <utility>

#include "grove/model/names.h"
#include "grove/plan/group_plan.h"
#include "grove/plan/internal/health.h"

namespace hearth::grove {

using api::grove::ScalingGroupTemplate;

bool IsConverged(const GroupFacts& group, const Hashes& hashes) {
  return !group.id.deleting &&
         hashes.IsCurrentGeneration(group.status.current_set_generation_hash) &&
         group.status.available_replicas >= Enough(group);
}

SetReplicas::SetReplicas(const SetWorld& world, std::set<int32_t> gone)
    : world_(world), gone_(std::move(gone)) {
  for (const api::grove::CliqueTemplate& clique : world.set.parts().cliques) {
    if (world.set.GroupOf(clique.name) == nullptr) {
      standalone_.push_back(clique.name);
    }
  }
  for (const GroupFacts& group : world.groups) {
    const std::optional<int32_t> i = group.place.set_replica;
    const auto name = i ? NameAfter(world.set.id.name, *i, group.id.name) : std::nullopt;
    if (name && !group.id.deleting && world.set.FindGroup(*name) != nullptr) {
      replicas_[*i].groups.emplace(*name, &group);
    }
  }
  for (const CliqueFacts& clique : world.cliques) {
    const std::optional<int32_t> i = clique.place.set_replica;
    if (!i || clique.id.deleting || gone_.contains(*i)) {
      continue;
    }
    replicas_[*i].cliques.push_back(&clique);
    if (clique.standalone()) {
      if (const auto name = NameAfter(world.set.id.name, *i, clique.id.name)) {
        replicas_[*i].standalone.emplace(*name, &clique);
      }
    }
  }
}

const SetReplicas::Replica& SetReplicas::At(int32_t i) const {
  static const Replica kNothing;
  const auto found = replicas_.find(i);
  return found == replicas_.end() ? kNothing : found->second;
}

const CliqueFacts* SetReplicas::FindClique(int32_t i, std::string_view clique_template) const {
  const auto found = At(i).standalone.find(clique_template);
  return found == At(i).standalone.end() ? nullptr : found->second;
}

const GroupFacts* SetReplicas::FindGroup(int32_t i, std::string_view group_template) const {
  const auto found = At(i).groups.find(group_template);
  return found == At(i).groups.end() ? nullptr : found->second;
}

const std::vector<const CliqueFacts*>& SetReplicas::Cliques(int32_t i) const {
  return At(i).cliques;
}

bool SetReplicas::HasCliques(int32_t i) const {
  return std::all_of(standalone_.begin(), standalone_.end(),
                     [&](const std::string& name) { return FindClique(i, name) != nullptr; });
}

bool SetReplicas::IsAvailable(int32_t i) const {
  const std::vector<ScalingGroupTemplate>& groups = world_.set.parts().scaling_groups;
  return !gone_.contains(i) &&
         std::all_of(standalone_.begin(), standalone_.end(),
                     [&](const std::string& name) {
                       const CliqueFacts* clique = FindClique(i, name);
                       return clique != nullptr && grove::IsAvailable(*clique);
                     }) &&
         std::all_of(groups.begin(), groups.end(), [&](const ScalingGroupTemplate& one) {
           const GroupFacts* group = FindGroup(i, one.name);
           return group != nullptr && grove::IsAvailable(*group);
         });
}

bool SetReplicas::IsUpdated(int32_t i) const {
  const std::vector<ScalingGroupTemplate>& groups = world_.set.parts().scaling_groups;
  return !gone_.contains(i) &&
         std::all_of(standalone_.begin(), standalone_.end(),
                     [&](const std::string& name) {
                       const CliqueFacts* clique = FindClique(i, name);
                       return clique != nullptr && IsConverged(*clique, name, world_.hashes);
                     }) &&
         std::all_of(groups.begin(), groups.end(), [&](const ScalingGroupTemplate& one) {
           const GroupFacts* group = FindGroup(i, one.name);
           return group != nullptr && IsConverged(*group, world_.hashes);
         });
}

bool SetReplicas::HasScheduled(int32_t i) const {
  const auto& cliques = At(i).cliques;
  return std::any_of(cliques.begin(), cliques.end(), [](const CliqueFacts* clique) {
    return clique->status.scheduled_replicas > 0;
  });
}

bool SetReplicas::IsBreached(int32_t i) const {
  const auto& [standalone, groups, cliques] = At(i);
  return std::any_of(standalone.begin(), standalone.end(),
                     [](const auto& one) { return grove::IsBreached(*one.second); }) ||
         std::any_of(groups.begin(), groups.end(),
                     [](const auto& one) { return grove::IsBreached(*one.second); });
}

}  // namespace hearth::grove
