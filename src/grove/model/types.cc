#include "grove/model/types.h"

#include <string>
#include <utility>

#include "api/grove/constants.h"

namespace hearth::grove {
namespace {

kube::ResourceType GroveType(std::string_view group, std::string name, std::string kind) {
  return {std::string(group), std::string(api::grove::kVersion), std::move(name), std::move(kind),
          true};
}

}  // namespace

const kube::ResourceType& PodCliqueSets() {
  static const auto type = GroveType(api::grove::kGroup, "podcliquesets", "PodCliqueSet");
  return type;
}

const kube::ResourceType& PodCliqueScalingGroups() {
  static const auto type =
      GroveType(api::grove::kGroup, "podcliquescalinggroups", "PodCliqueScalingGroup");
  return type;
}

const kube::ResourceType& PodCliques() {
  static const auto type = GroveType(api::grove::kGroup, "podcliques", "PodClique");
  return type;
}

const kube::ResourceType& PodGangs() {
  static const auto type = GroveType(api::grove::kSchedulerGroup, "podgangs", "PodGang");
  return type;
}

const kube::ResourceType& ClusterTopologyBindings() {
  static const kube::ResourceType type{std::string(api::grove::kGroup),
                                       std::string(api::grove::kVersion), "clustertopologybindings",
                                       "ClusterTopologyBinding", false};
  return type;
}

}  // namespace hearth::grove
