#include "grove/render/start_order.h"

#include "grove/model/names.h"
#include "grove/render/internal/parents.h"
#include "grove/render/internal/sizes.h"

namespace hearth::grove {
namespace internal {
namespace {

using api::grove::CliqueTemplate;
using api::grove::ScalingGroupTemplate;

// The PodCliques that stand for a parent in the base gang.
void AddOfBaseGang(const SetFacts& set, const CliqueTemplate& parent, int32_t i,
                   std::vector<Parent>& parents) {
  const ScalingGroupTemplate* const group = set.GroupOf(parent.name);
  if (group == nullptr) {
    parents.push_back({CliqueName(set.id.name, i, parent.name), &parent});
    return;
  }
  const std::string group_name = GroupName(set.id.name, i, group->name);
  for (int32_t j = 0; j < MinAvailable(*group); ++j) {
    parents.push_back({MemberName(group_name, j, parent.name), &parent});
  }
}

}  // namespace

std::vector<Parent> ParentsOf(const SetFacts& set, const CliqueTemplate& clique, int32_t i,
                              std::optional<int32_t> j) {
  const ScalingGroupTemplate* const group = j ? set.GroupOf(clique.name) : nullptr;
  const bool scaled = group != nullptr && *j >= MinAvailable(*group);
  std::vector<Parent> parents;
  for (const std::string& name : ParentTemplates(set, clique)) {
    const CliqueTemplate* const parent = set.FindClique(name);
    if (parent == nullptr) {
      continue;
    }
    if (!scaled) {
      AddOfBaseGang(set, *parent, i, parents);
    } else if (set.GroupOf(name) == group) {
      parents.push_back({MemberName(GroupName(set.id.name, i, group->name), *j, name), parent});
    }
  }
  return parents;
}

}  // namespace internal

std::vector<std::string> ParentTemplates(const SetFacts& set,
                                         const api::grove::CliqueTemplate& clique) {
  const auto& cliques = set.parts().cliques;
  switch (set.parts().startup_type) {
    case api::grove::StartupType::kAnyOrder:
      break;
    case api::grove::StartupType::kInOrder:
      for (size_t k = 1; k < cliques.size(); ++k) {
        if (cliques[k].name == clique.name) {
          return {cliques[k - 1].name};
        }
      }
      break;
    case api::grove::StartupType::kExplicit:
      return clique.spec.starts_after;
  }
  return {};
}

std::vector<std::string> Parents(const SetFacts& set, const api::grove::CliqueTemplate& clique,
                                 int32_t i, std::optional<int32_t> j) {
  std::vector<std::string> names;
  for (internal::Parent& parent : internal::ParentsOf(set, clique, i, j)) {
    names.push_back(std::move(parent.name));
  }
  return names;
}

}  // namespace hearth::grove
