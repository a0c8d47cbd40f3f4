#include "claims/place.h"

#include <fmt/format.h>

#include <algorithm>

#include "grove/model/names.h"

namespace hearth::claims {
namespace {

Status Misfit(std::string_view clique, std::string_view why) {
  return InvalidError(fmt::format("PodClique {} {}", clique, why));
}

// Completes the place of a clique that is in a scaling group.
Status PlaceInGroup(const grove::SetFacts& set, const grove::CliqueFacts& clique, PodPlace& place) {
  const std::string& name = clique.id.name;
  if (!clique.place.group_replica) {
    return Misfit(name, "does not say of which replica of its scaling group it is");
  }
  place.group = clique.place.group;
  place.group_replica = *clique.place.group_replica;
  const auto group = GroupTemplateOf(set, place.group, place.set_replica);
  if (!group.ok()) {
    return group.status().WithContext(fmt::format("PodClique {}", name));
  }
  place.group_template = *group;
  const auto member = grove::NameAfter(place.group, place.group_replica, name);
  const auto& members = set.FindGroup(place.group_template)->clique_names;
  if (!member || std::find(members.begin(), members.end(), *member) == members.end()) {
    return Misfit(name, fmt::format("is none of replica {} of scaling group {}",
                                    place.group_replica, place.group));
  }
  place.clique_template = *member;
  return Status::Ok();
}

Status PlaceAlone(const grove::SetFacts& set, const grove::CliqueFacts& clique, PodPlace& place) {
  const auto own = grove::NameAfter(set.id.name, place.set_replica, clique.id.name);
  if (!own || set.GroupOf(*own) != nullptr) {
    return Misfit(clique.id.name, fmt::format("is none of replica {} of set {} that stands alone",
                                              place.set_replica, set.id.name));
  }
  place.clique_template = *own;
  return Status::Ok();
}

}  // namespace

Result<PodPlace> PlaceOf(const grove::SetFacts& set, const grove::CliqueFacts& clique,
                         int32_t pod_index) {
  const std::string& name = clique.id.name;
  if (clique.place.set != set.id.name || !clique.place.set_replica) {
    return Misfit(name, fmt::format("does not say of which replica of set {} it is", set.id.name));
  }
  PodPlace place;
  place.clique = name;
  place.index = pod_index;
  place.set_replica = *clique.place.set_replica;
  RETURN_IF_ERROR(clique.standalone() ? PlaceAlone(set, clique, place)
                                      : PlaceInGroup(set, clique, place));
  if (set.FindClique(place.clique_template) == nullptr) {
    return Misfit(name, fmt::format("would be a clique {} of set {}, which has none of that name",
                                    place.clique_template, set.id.name));
  }
  return place;
}

Result<std::string> GroupTemplateOf(const grove::SetFacts& set, std::string_view group,
                                    int32_t set_replica) {
  const auto own = grove::NameAfter(set.id.name, set_replica, group);
  if (!own || set.FindGroup(*own) == nullptr) {
    return InvalidError(fmt::format("scaling group {} is none of replica {} of set {}", group,
                                    set_replica, set.id.name));
  }
  return std::string(*own);
}

}  // namespace hearth::claims
