#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/grove/resource_sharing.h"
#include "grove/model/facts.h"
#include "kube/model/object.h"

// ResourceClaims that pods share, at the three levels of a set. Pure.
namespace hearth::claims {

enum class Level { kSet, kGroup, kClique };

// One entry of some resourceSharing, whichever level it stands at.
struct Sharing {
  std::string name;        // of the template
  std::string name_space;  // of an external template; empty: inside the set, or beside it
  api::grove::SharingScope scope = api::grove::SharingScope::kAllReplicas;
  // Which children's pods use it; nothing: all.
  struct Filter {
    std::vector<std::string> cliques;
    std::vector<std::string> groups;
  };
  std::optional<Filter> filter;
};

// Whether the pods of a clique use it; `group` is that of the clique, empty when it is in none.
// Names are those in the set. Cliques are compared with cliques and groups with groups. Asked for
// nobody in particular (no names), it is used.
bool IsUsedBy(const Sharing& entry, std::string_view clique, std::string_view group);

std::vector<Sharing> SharingOf(const std::vector<api::grove::SetResourceSharing>& entries);
std::vector<Sharing> SharingOf(const std::vector<api::grove::GroupResourceSharing>& entries);
std::vector<Sharing> SharingOf(const std::vector<api::grove::ResourceSharing>& entries);

// An object that has claims: the set, a scaling group or a clique, with what is shared there.
struct Owner {
  Level level = Level::kSet;
  std::string set;   // the set's name
  std::string part;  // what the group or clique is called in the set; empty: the set itself
  std::string name_space;
  kube::OwnerReference reference;  // controlling
  std::vector<Sharing> sharing;
  // Indices there are: replicas of a set or group; of a clique, its replicas and the indices of
  // pods that are still there. None when nothing is shared.
  std::set<int32_t> indices;
};
// The levels of a set. `group` and `clique` give the live counts; the entries stand in the set.
// kNotFound: the set has no such group or clique.
Owner SetOwner(const grove::SetFacts& set);
Result<Owner> GroupOwner(const grove::SetFacts& set, const grove::GroupFacts& group);
Result<Owner> CliqueOwner(const grove::SetFacts& set, const grove::CliqueFacts& clique,
                          const std::set<int32_t>& pod_indices);

// "<owner>-all-<template>", "<owner>-<index>-<template>"
std::string ClaimName(std::string_view owner, std::string_view template_name);
std::string ClaimName(std::string_view owner, int32_t index, std::string_view template_name);

// A claim that should be there.
struct Claim {
  std::string name;
  size_t entry = 0;  // of the owner's sharing
  std::optional<int32_t> index;
};
// In the order of the entries, and of the indices within each; each name once.
std::vector<Claim> DesiredClaims(const Owner& owner);
// The labels of one: those that an upstream operator gives, too.
grove::Labels ClaimLabels(const Owner& owner, const Claim& claim);
// Those that all claims of the level of this owner have; a selector for them.
grove::Labels LevelLabels(const Owner& owner);

}  // namespace hearth::claims
