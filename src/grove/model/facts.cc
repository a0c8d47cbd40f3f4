#include "grove/model/facts.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/duration.h"
#include "grove/model/labels.h"
#include "grove/model/names.h"
#include "json/time.h"

namespace hearth::grove {
namespace {

using json::View;

constexpr Duration kDefaultTerminationDelay = std::chrono::hours(4);

template <typename T>
T Decoded(View view) {
  auto decoded = api::DecodeAs<T>(view);
  return decoded.ok() ? *std::move(decoded) : T();
}

Labels MapOf(View view) {
  Labels labels;
  for (const json::Member& member : view.members()) {
    labels.emplace(member.Name(), member.value.StringOr(""));
  }
  return labels;
}

std::string Get(const Labels& labels, std::string_view key) {
  const auto found = labels.find(std::string(key));
  return found == labels.end() ? "" : found->second;
}

std::optional<int32_t> IndexLabel(const Labels& labels, std::string_view key) {
  return IndexAfter("", "-" + Get(labels, key));
}

int32_t IntOr(View view, int32_t other) {
  const auto value = view.Int();
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  return value && *value >= 0 && *value <= kMost ? static_cast<int32_t>(*value) : other;
}

std::vector<std::string> StringsOf(View view) {
  std::vector<std::string> strings;
  for (const View item : view.items()) {
    strings.push_back(item.StringOr(""));
  }
  return strings;
}

// What an object says in its JSON, whether it is whole or in a cache.
void ReadMetadata(View object, Identity& id) {
  const View metadata = object["metadata"];
  const auto created = json::Time::Parse(metadata["creationTimestamp"].StringOr(""));
  if (created.ok()) {
    id.created = created->at;
  }
  id.finalizers = StringsOf(metadata["finalizers"]);
  id.controller = kube::Meta(object).controller();
}

}  // namespace

Identity Identity::Of(View object) {
  const kube::Meta meta(object);
  Identity id;
  id.name_space = meta.name_space();
  id.name = meta.name();
  id.uid = meta.uid();
  id.generation = meta.generation();
  id.deleting = meta.deleting();
  ReadMetadata(object, id);
  return id;
}

Identity Identity::Of(const controller::CachedObject& object) {
  Identity id;
  id.name_space = object.name_space();
  id.name = object.name();
  id.uid = object.uid();
  id.generation = object.generation();
  id.deleting = object.deleting();
  ReadMetadata(object.view(), id);
  return id;
}

bool Identity::HasFinalizer(std::string_view finalizer) const {
  return std::find(finalizers.begin(), finalizers.end(), finalizer) != finalizers.end();
}

Result<SetFacts> SetFacts::From(Identity id, View object) {
  SetFacts facts;
  facts.id = std::move(id);
  facts.labels = MapOf(object["metadata"]["labels"]);
  facts.annotations = MapOf(object["metadata"]["annotations"]);
  ASSIGN_OR_RETURN(facts.spec, api::DecodeAs<api::grove::PodCliqueSetSpec>(object["spec"]));
  facts.status = Decoded<api::grove::PodCliqueSetStatus>(object["status"]);
  return facts;
}

const api::grove::CliqueTemplate* SetFacts::FindClique(std::string_view name) const {
  for (const auto& clique : parts().cliques) {
    if (clique.name == name) {
      return &clique;
    }
  }
  return nullptr;
}

const api::grove::ScalingGroupTemplate* SetFacts::FindGroup(std::string_view name) const {
  for (const auto& group : parts().scaling_groups) {
    if (group.name == name) {
      return &group;
    }
  }
  return nullptr;
}

const api::grove::ScalingGroupTemplate* SetFacts::GroupOf(std::string_view clique) const {
  for (const auto& group : parts().scaling_groups) {
    const auto& names = group.clique_names;
    if (std::find(names.begin(), names.end(), clique) != names.end()) {
      return &group;
    }
  }
  return nullptr;
}

std::string SetFacts::TopologyName() const {
  std::string found;
  const auto look = [&](const std::optional<api::grove::TopologyConstraint>& constraint) {
    if (found.empty() && constraint) {
      found = constraint->topology_name;
    }
  };
  look(parts().topology_constraint);
  for (const auto& group : parts().scaling_groups) {
    look(group.topology_constraint);
  }
  for (const auto& clique : parts().cliques) {
    look(clique.topology_constraint);
  }
  return found;
}

api::grove::UpdateStrategyType SetFacts::strategy() const {
  return spec.update_strategy ? spec.update_strategy->type
                              : api::grove::UpdateStrategyType::kRollingRecreate;
}

Duration SetFacts::termination_delay() const {
  const auto delay = ParseDuration(parts().termination_delay);
  return delay.ok() && *delay > Duration::zero() ? *delay : kDefaultTerminationDelay;
}

Place Place::Of(const Labels& labels) {
  return {Get(labels, kPartOfLabel), IndexLabel(labels, kSetReplicaLabel), Get(labels, kGroupLabel),
          IndexLabel(labels, kGroupReplicaLabel)};
}

GroupFacts GroupFacts::From(Identity id, View object) {
  const View spec = object["spec"];
  GroupFacts facts;
  facts.id = std::move(id);
  facts.labels = MapOf(object["metadata"]["labels"]);
  facts.annotations = MapOf(object["metadata"]["annotations"]);
  facts.place = Place::Of(facts.labels);
  facts.place.group.clear();
  facts.replicas = IntOr(spec["replicas"], 1);
  facts.min_available = IntOr(spec["minAvailable"], 1);
  facts.clique_names = StringsOf(spec["cliqueNames"]);
  facts.status = Decoded<api::grove::PodCliqueScalingGroupStatus>(object["status"]);
  return facts;
}

CliqueFacts CliqueFacts::From(Identity id, View object) {
  const View spec = object["spec"];
  CliqueFacts facts;
  facts.id = std::move(id);
  facts.labels = MapOf(object["metadata"]["labels"]);
  facts.annotations = MapOf(object["metadata"]["annotations"]);
  facts.place = Place::Of(facts.labels);
  facts.replicas = IntOr(spec["replicas"], 0);
  facts.min_available = IntOr(spec["minAvailable"], 1);
  facts.starts_after = StringsOf(spec["startsAfter"]);
  facts.gang = Get(facts.labels, kGangLabel);
  facts.base_gang = Get(facts.labels, kBaseGangLabel);
  facts.template_hash = Get(facts.labels, kTemplateHashLabel);
  facts.status = Decoded<api::grove::PodCliqueStatus>(object["status"]);
  return facts;
}

GangFacts GangFacts::From(Identity id, View object) {
  GangFacts facts;
  facts.id = std::move(id);
  facts.labels = MapOf(object["metadata"]["labels"]);
  facts.annotations = MapOf(object["metadata"]["annotations"]);
  facts.spec = Decoded<api::grove::PodGangSpec>(object["spec"]);
  facts.status = Decoded<api::grove::PodGangStatus>(object["status"]);
  return facts;
}

}  // namespace hearth::grove
