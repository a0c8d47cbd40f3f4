#include "grove/render/gang.h"

#include <algorithm>
#include <utility>

#include "api/grove/constants.h"
#include "base/seeded_hash.h"
#include "grove/model/labels.h"
#include "grove/model/names.h"
#include "grove/render/children.h"
#include "grove/render/internal/metadata.h"
#include "grove/scheduler/backend.h"

namespace hearth::grove {
namespace {

using api::grove::PodGangSpec;
using api::grove::TopologyConstraint;

constexpr std::string_view kGrovePrefix = "grove.io/";

// What users wrote on their set goes on to its gangs.
Labels Mirrored(const Labels& entries) {
  Labels mirrored = entries;
  std::erase_if(mirrored, [](const auto& entry) {
    return entry.first.starts_with(kGrovePrefix) || entry.first.starts_with("hearth.dev/") ||
           internal::IsOfOneObject(entry.first);
  });
  return mirrored;
}

// From domains to node label keys; nothing when none of the domains is known.
std::optional<PodGangSpec::Topology> Translate(const std::optional<TopologyConstraint>& constraint,
                                               const TopologyKey& topology_key) {
  if (!constraint || !topology_key) {
    return std::nullopt;
  }
  const auto key = [&](const std::string& domain) {
    return domain.empty() ? std::string() : topology_key(domain);
  };
  PodGangSpec::Topology::Pack pack{key(constraint->RequiredDomain()),
                                   key(constraint->pack ? constraint->pack->preferred : "")};
  if (pack.required.empty() && pack.preferred.empty()) {
    return std::nullopt;
  }
  return PodGangSpec::Topology{std::move(pack)};
}

using References = std::vector<PodGangSpec::ObjectReference>;

// The pods of each clique, by name.
SeededMap<std::string_view, References> ByClique(const GangOutline& gang,
                                                 const std::vector<const PodFacts*>& pods) {
  SeededMap<std::string_view, References> cliques;
  for (const PodFacts* const pod : pods) {
    if (pod->gang == gang.name && !pod->id.deleting) {
      cliques[pod->clique].push_back({pod->id.name_space, pod->id.name});
    }
  }
  for (auto& [clique, references] : cliques) {
    std::sort(references.begin(), references.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
  }
  return cliques;
}

// In a base gang each replica of a scaling group stays together on its own; a scaled gang is one.
void AddTopology(const SetFacts& set, const GangOutline& gang, const TopologyKey& topology_key,
                 PodGangSpec& spec) {
  spec.topology_constraint = Translate(set.parts().topology_constraint, topology_key);
  for (const GangOutline::Part& part : gang.parts) {
    const auto* const group = set.FindGroup(part.group_template);
    if (part.group_replica.empty() || group == nullptr || !group->topology_constraint) {
      continue;
    }
    auto constraint = Translate(group->topology_constraint, topology_key);
    if (gang.scaled) {
      spec.topology_constraint = std::move(constraint);
    } else if (!spec.topology_groups.empty() &&
               spec.topology_groups.back().name == part.group_replica) {
      spec.topology_groups.back().pod_group_names.push_back(part.clique);
    } else if (constraint) {
      spec.topology_groups.push_back({part.group_replica, {part.clique}, std::move(constraint)});
    }
  }
}

bool HasTopology(const PodGangSpec& spec) {
  return spec.topology_constraint || !spec.topology_groups.empty() ||
         std::any_of(spec.pod_groups.begin(), spec.pod_groups.end(),
                     [](const auto& group) { return group.topology_constraint.has_value(); });
}

}  // namespace

json::Value RenderGang(const SetFacts& set, const GangOutline& gang,
                       const std::vector<const PodFacts*>& pods, std::string_view scheduler,
                       const TopologyKey& topology_key) {
  PodGangSpec spec;
  auto references = ByClique(gang, pods);
  for (const GangOutline::Part& part : gang.parts) {
    const auto* const clique = set.FindClique(part.clique_template);
    spec.pod_groups.push_back(
        {part.clique, std::move(references[part.clique]), part.min_replicas,
         clique == nullptr ? std::nullopt : Translate(clique->topology_constraint, topology_key)});
  }
  spec.priority_class_name = set.parts().priority_class_name;
  AddTopology(set, gang, topology_key, spec);

  Labels labels = Mirrored(set.labels);
  labels[std::string(kManagedByLabel)] = kManagedBy;
  labels[std::string(kPartOfLabel)] = set.id.name;
  labels[std::string(kComponentLabel)] = component::kGang;
  labels[std::string(kSchedulerLabel)] = scheduler;
  Labels annotations = Mirrored(set.annotations);
  if (const std::string topology = set.TopologyName(); HasTopology(spec) && !topology.empty()) {
    annotations[std::string(kTopologyNameAnnotation)] = topology;
  }
  json::Value object = internal::NewObject(
      std::string(api::grove::kSchedulerGroup) + "/" + std::string(api::grove::kVersion), "PodGang",
      set.id.name_space, gang.name, labels, annotations, OwnerOf(set));
  object.Set("spec", api::Encoded(spec));
  if (const auto backend = MakeBackend(scheduler)) {
    backend->PrepareGang(set, object);
  }
  return object;
}

}  // namespace hearth::grove
