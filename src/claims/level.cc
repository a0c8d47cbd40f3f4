#include "claims/level.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/grove/constants.h"
#include "base/seeded_hash.h"
#include "claims/place.h"
#include "grove/model/labels.h"

namespace hearth::claims {
namespace {

using api::grove::SharingScope;

bool Contains(const std::vector<std::string>& names, std::string_view name) {
  return !name.empty() && std::find(names.begin(), names.end(), name) != names.end();
}

Sharing WithoutFilter(const api::grove::ResourceSharing& entry) {
  return {.name = entry.name,
          .name_space = entry.name_space,
          .scope = entry.scope,
          .filter = std::nullopt};
}

kube::OwnerReference Controlling(std::string_view kind, const grove::Identity& id) {
  return {.api_version = fmt::format("{}/{}", api::grove::kGroup, api::grove::kVersion),
          .kind = std::string(kind),
          .name = id.name,
          .uid = id.uid,
          .controller = true,
          .block_owner_deletion = true};
}

std::set<int32_t> IndicesBelow(int32_t count) {
  std::set<int32_t> indices;
  for (int32_t i = 0; i < count; ++i) {
    indices.insert(indices.end(), i);
  }
  return indices;
}

// The label that tells claims of the level for one replica each apart.
std::string_view IndexLabel(Level level) {
  switch (level) {
    case Level::kSet:
      return grove::kSetReplicaLabel;
    case Level::kGroup:
      return grove::kGroupReplicaLabel;
    case Level::kClique:
      return grove::kPodIndexLabel;
  }
  return {};
}

}  // namespace

bool IsUsedBy(const Sharing& entry, std::string_view clique, std::string_view group) {
  return !entry.filter || (clique.empty() && group.empty()) ||
         Contains(entry.filter->cliques, clique) || Contains(entry.filter->groups, group);
}

std::vector<Sharing> SharingOf(const std::vector<api::grove::SetResourceSharing>& entries) {
  std::vector<Sharing> sharing;
  for (const auto& entry : entries) {
    sharing.push_back(WithoutFilter(entry));
    if (entry.filter) {
      sharing.back().filter = {.cliques = entry.filter->child_clique_names,
                               .groups = entry.filter->child_scaling_group_names};
    }
  }
  return sharing;
}

std::vector<Sharing> SharingOf(const std::vector<api::grove::GroupResourceSharing>& entries) {
  std::vector<Sharing> sharing;
  for (const auto& entry : entries) {
    sharing.push_back(WithoutFilter(entry));
    if (entry.filter) {
      sharing.back().filter = {.cliques = entry.filter->child_clique_names, .groups = {}};
    }
  }
  return sharing;
}

std::vector<Sharing> SharingOf(const std::vector<api::grove::ResourceSharing>& entries) {
  std::vector<Sharing> sharing;
  std::transform(entries.begin(), entries.end(), std::back_inserter(sharing), WithoutFilter);
  return sharing;
}

Owner SetOwner(const grove::SetFacts& set) {
  Owner owner;
  owner.level = Level::kSet;
  owner.set = set.id.name;
  owner.name_space = set.id.name_space;
  owner.reference = Controlling("PodCliqueSet", set.id);
  owner.sharing = SharingOf(set.parts().resource_sharing);
  if (!owner.sharing.empty()) {
    owner.indices = IndicesBelow(set.spec.replicas);
  }
  return owner;
}

Result<Owner> GroupOwner(const grove::SetFacts& set, const grove::GroupFacts& group) {
  if (group.place.set != set.id.name || !group.place.set_replica) {
    return NotFoundError(
        fmt::format("PodCliqueScalingGroup {} does not say of which replica of set {} it is",
                    group.id.name, set.id.name));
  }
  const auto part = GroupTemplateOf(set, group.id.name, *group.place.set_replica);
  if (!part.ok()) {
    return NotFoundError(std::string(part.status().message()));
  }
  Owner owner;
  owner.level = Level::kGroup;
  owner.set = set.id.name;
  owner.part = *part;
  owner.name_space = set.id.name_space;
  owner.reference = Controlling("PodCliqueScalingGroup", group.id);
  owner.sharing = SharingOf(set.FindGroup(owner.part)->resource_sharing);
  if (!owner.sharing.empty()) {
    owner.indices = IndicesBelow(group.replicas);
  }
  return owner;
}

Result<Owner> CliqueOwner(const grove::SetFacts& set, const grove::CliqueFacts& clique,
                          const std::set<int32_t>& pod_indices) {
  const auto place = PlaceOf(set, clique, 0);
  if (!place.ok()) {
    return NotFoundError(std::string(place.status().message()));
  }
  Owner owner;
  owner.level = Level::kClique;
  owner.set = set.id.name;
  owner.part = place->clique_template;
  owner.name_space = set.id.name_space;
  owner.reference = Controlling("PodClique", clique.id);
  owner.sharing = SharingOf(set.FindClique(owner.part)->resource_sharing);
  if (!owner.sharing.empty()) {
    owner.indices = IndicesBelow(clique.replicas);
    owner.indices.insert(pod_indices.begin(), pod_indices.end());
  }
  return owner;
}

std::string ClaimName(std::string_view owner, std::string_view template_name) {
  return fmt::format("{}-all-{}", owner, template_name);
}

std::string ClaimName(std::string_view owner, int32_t index, std::string_view template_name) {
  return fmt::format("{}-{}-{}", owner, index, template_name);
}

std::vector<Claim> DesiredClaims(const Owner& owner) {
  std::vector<Claim> claims;
  SeededSet<std::string> names;
  const auto add = [&](Claim claim) {
    if (names.insert(claim.name).second) {
      claims.push_back(std::move(claim));
    }
  };
  const std::string& name = owner.reference.name;
  for (size_t i = 0; i < owner.sharing.size(); ++i) {
    const Sharing& entry = owner.sharing[i];
    if (entry.scope == SharingScope::kAllReplicas) {
      add({ClaimName(name, entry.name), i, std::nullopt});
      continue;
    }
    for (const int32_t index : owner.indices) {
      add({ClaimName(name, index, entry.name), i, index});
    }
  }
  return claims;
}

grove::Labels LevelLabels(const Owner& owner) {
  grove::Labels labels;
  const auto set = [&](std::string_view key, std::string_view value) {
    labels.emplace(std::string(key), std::string(value));
  };
  set(grove::kManagedByLabel, grove::kManagedBy);
  set(grove::kPartOfLabel, owner.set);
  set(grove::kComponentLabel, grove::component::kClaim);
  if (owner.level == Level::kGroup) {
    set(grove::kGroupLabel, owner.reference.name);
  } else if (owner.level == Level::kClique) {
    set(grove::kCliqueLabel, owner.reference.name);
  }
  return labels;
}

grove::Labels ClaimLabels(const Owner& owner, const Claim& claim) {
  grove::Labels labels = LevelLabels(owner);
  if (claim.index) {
    labels.emplace(std::string(IndexLabel(owner.level)), fmt::format("{}", *claim.index));
  }
  return labels;
}

}  // namespace hearth::claims
