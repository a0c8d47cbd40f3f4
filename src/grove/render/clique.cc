// PodCliques, outside of scaling groups and within.
#include <string>

#include "api/grove/constants.h"
#include "grove/model/labels.h"
#include "grove/model/names.h"
#include "grove/render/children.h"
#include "grove/render/internal/environment.h"
#include "grove/render/internal/metadata.h"
#include "grove/render/internal/sizes.h"
#include "grove/render/start_order.h"

namespace hearth::grove {
namespace {

using api::grove::CliqueTemplate;
using json::Value;

// What a PodClique gets from its place.
struct Placement {
  std::string name;
  kube::OwnerReference owner;
  std::string_view component;
  int32_t i = 0;
  std::optional<int32_t> j;
  Labels labels;  // of the place alone
};

Value Render(const SetFacts& set, const CliqueTemplate& clique, const Placement& placement,
             std::string_view template_hash, api::grove::PodCliqueSpec spec) {
  Labels labels = clique.labels;
  for (const auto& [key, value] :
       internal::ManagedLabels(set.id.name, placement.component, placement.name)) {
    labels[key] = value;
  }
  for (const auto& [key, value] : placement.labels) {
    labels[key] = value;
  }
  labels[std::string(kSetReplicaLabel)] = std::to_string(placement.i);
  labels[std::string(kTemplateHashLabel)] = template_hash;
  spec.min_available = internal::MinAvailable(clique);
  spec.starts_after = Parents(set, clique, placement.i, placement.j);
  Value object = internal::NewObject(
      std::string(api::grove::kGroup) + "/" + std::string(api::grove::kVersion), "PodClique",
      set.id.name_space, placement.name, labels, internal::PodAnnotations(clique), placement.owner);
  object["metadata"].Set("finalizers", Value::Array({kCliqueFinalizer}));
  object.Set("spec", api::Encoded(spec));
  return object;
}

int32_t TemplatePods(const SetFacts& set, const std::vector<std::string>& cliques) {
  int32_t pods = 0;
  for (const std::string& name : cliques) {
    if (const CliqueTemplate* const clique = set.FindClique(name)) {
      pods += clique->spec.replicas;
    }
  }
  return pods;
}

}  // namespace

Value RenderClique(const SetFacts& set, const CliqueTemplate& clique, int32_t i,
                   std::string_view template_hash, std::optional<int32_t> replicas) {
  api::grove::PodCliqueSpec spec = clique.spec;
  spec.replicas = replicas.value_or(spec.replicas);
  const Placement placement{CliqueName(set.id.name, i, clique.name),
                            OwnerOf(set),
                            component::kSetClique,
                            i,
                            std::nullopt,
                            {{std::string(kGangLabel), ReplicaName(set.id.name, i)}}};
  return Render(set, clique, placement, template_hash, std::move(spec));
}

Value RenderMember(const SetFacts& set, const GroupFacts& group, const CliqueTemplate& clique,
                   int32_t j, std::string_view template_hash, std::optional<int32_t> replicas) {
  const int32_t i = group.place.set_replica.value_or(0);
  const std::string base_gang = ReplicaName(set.id.name, i);
  const bool scaled = j >= group.min_available;
  Labels labels = {{std::string(kGroupLabel), group.id.name},
                   {std::string(kGroupReplicaLabel), std::to_string(j)},
                   {std::string(kGangLabel),
                    scaled ? ScaledGangName(group.id.name, j, group.min_available) : base_gang}};
  if (scaled) {
    labels[std::string(kBaseGangLabel)] = base_gang;
  }
  api::grove::PodCliqueSpec spec = clique.spec;
  spec.replicas = replicas.value_or(spec.replicas);
  internal::PrependVariables(internal::GroupVariables(TemplatePods(set, group.clique_names)),
                             spec.pod_spec);
  const Placement placement{MemberName(group.id.name, j, clique.name),
                            OwnerOf(group),
                            component::kGroupClique,
                            i,
                            j,
                            std::move(labels)};
  return Render(set, clique, placement, template_hash, std::move(spec));
}

}  // namespace hearth::grove
