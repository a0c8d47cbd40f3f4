#include "grove/plan/testing/facts.h"

#include <fmt/format.h>

#include <utility>

#include "api/grove/constants.h"
#include "grove/model/names.h"
#include "grove/plan/internal/conditions.h"
#include "json/time.h"

namespace hearth::grove {

namespace {

constexpr int64_t kBegin = 1'800'000'000;

void Identify(const SetFacts& set, std::string name, Identity& id) {
  id.name_space = set.id.name_space;
  id.uid = "uid-" + name;
  id.name = std::move(name);
  id.generation = 1;
  id.created = At(0);
}

}  // namespace

WallTime At(int64_t seconds) { return WallTime(std::chrono::seconds(kBegin + seconds)); }

std::string TimeText(int64_t seconds) { return json::Time{At(seconds)}.ToString(); }

SetFacts MakeSet(int32_t replicas) {
  SetFacts set;
  set.id.name_space = "ns";
  Identify(set, "s", set.id);
  set.spec.replicas = replicas;
  set.spec.set_template.termination_delay = "10m";
  set.status.current_generation_hash = HashText("all", 1);
  set.status.observed_generation = 1;
  return set;
}

void AddClique(SetFacts& set, std::string name, int32_t replicas, int32_t min_available) {
  api::grove::CliqueTemplate clique;
  clique.name = std::move(name);
  clique.spec.replicas = replicas;
  clique.spec.min_available = min_available;
  set.spec.set_template.cliques.push_back(std::move(clique));
}

void AddGroup(SetFacts& set, std::string name, std::vector<std::string> cliques, int32_t replicas,
              int32_t min_available) {
  api::grove::ScalingGroupTemplate group;
  group.name = std::move(name);
  group.clique_names = std::move(cliques);
  group.replicas = replicas;
  group.min_available = min_available;
  set.spec.set_template.scaling_groups.push_back(std::move(group));
}

void UseOnDelete(SetFacts& set) {
  set.spec.update_strategy = api::grove::UpdateStrategy{api::grove::UpdateStrategyType::kOnDelete};
}

std::string HashText(std::string_view clique, int version) {
  return fmt::format("c1-{}-{}", clique, version);
}

Hashes MakeHashes(const SetFacts& set, int version) {
  Hashes hashes;
  hashes.generation = HashText("all", version);
  for (const api::grove::CliqueTemplate& clique : set.parts().cliques) {
    hashes.cliques[clique.name] = HashText(clique.name, version);
  }
  return hashes;
}

void BeginUpdate(SetFacts& set, int version, int32_t replica) {
  set.status.current_generation_hash = HashText("all", version);
  set.status.update_progress.emplace();
  set.status.update_progress->update_started_at = TimeText(0);
  api::grove::PodCliqueSetUpdateProgress::Replica current;
  current.replica_index = replica;
  current.update_started_at = TimeText(0);
  set.status.update_progress->currently_updating = {current};
}

CliqueFacts MakeStandalone(const SetFacts& set, int32_t i, const std::string& name) {
  const api::grove::CliqueTemplate& of = *set.FindClique(name);
  CliqueFacts clique;
  Identify(set, CliqueName(set.id.name, i, name), clique.id);
  clique.place.set = set.id.name;
  clique.place.set_replica = i;
  clique.replicas = of.spec.replicas;
  clique.min_available = of.spec.min_available.value_or(1);
  clique.gang = ReplicaName(set.id.name, i);
  clique.template_hash = HashText(name, 1);
  return clique;
}

CliqueFacts MakeMember(const SetFacts& set, int32_t i, const std::string& group, int32_t j,
                       const std::string& name) {
  CliqueFacts clique = MakeStandalone(set, i, name);
  const std::string full = GroupName(set.id.name, i, group);
  Identify(set, MemberName(full, j, name), clique.id);
  clique.place.group = full;
  clique.place.group_replica = j;
  return clique;
}

GroupFacts MakeGroup(const SetFacts& set, int32_t i, const std::string& name) {
  const api::grove::ScalingGroupTemplate& of = *set.FindGroup(name);
  GroupFacts group;
  Identify(set, GroupName(set.id.name, i, name), group.id);
  group.place.set = set.id.name;
  group.place.set_replica = i;
  group.replicas = of.replicas.value_or(1);
  group.min_available = of.min_available.value_or(1);
  group.clique_names = of.clique_names;
  return group;
}

void PutCondition(std::vector<api::Condition>& conditions, std::string_view type,
                  std::string_view status, int64_t since) {
  RemoveCondition(conditions, type);
  SetCondition(conditions,
               {.type = std::string(type),
                .status = std::string(status),
                .reason = "Test",
                .message = "",
                .observed_generation = 0},
               At(since));
}

void MakeReady(CliqueFacts& clique, int version) {
  api::grove::PodCliqueStatus& status = clique.status;
  status.observed_generation = clique.id.generation;
  status.replicas = status.ready_replicas = status.updated_replicas = clique.replicas;
  status.scheduled_replicas = clique.replicas;
  status.current_pod_template_hash = clique.template_hash;
  status.current_set_generation_hash = HashText("all", version);
  PutCondition(status.conditions, api::grove::kPodCliqueScheduled, "True", 60);
  PutCondition(status.conditions, api::grove::kMinAvailableBreached, "False", 60);
}

void MakeReady(GroupFacts& group, int version) {
  api::grove::PodCliqueScalingGroupStatus& status = group.status;
  status.observed_generation = group.id.generation;
  status.replicas = status.scheduled_replicas = group.replicas;
  status.available_replicas = status.updated_replicas = group.replicas;
  status.current_set_generation_hash = HashText("all", version);
  PutCondition(status.conditions, api::grove::kMinAvailableBreached, "False", 60);
}

void Breach(CliqueFacts& clique, int64_t since) {
  PutCondition(clique.status.conditions, api::grove::kPodCliqueScheduled, "False", since);
  PutCondition(clique.status.conditions, api::grove::kMinAvailableBreached, "True", since);
  clique.status.ready_replicas = clique.status.scheduled_replicas = 0;
}

void Breach(GroupFacts& group, int64_t since) {
  PutCondition(group.status.conditions, api::grove::kMinAvailableBreached, "True", since);
  group.status.available_replicas = group.status.scheduled_replicas = 0;
}

PodFacts MakePod(const CliqueFacts& clique, int32_t index) {
  PodFacts pod = MakePending(clique, index);
  pod.phase = "Running";
  pod.assigned = pod.scheduled = pod.ready = true;
  pod.unstarted = false;
  return pod;
}

PodFacts MakePending(const CliqueFacts& clique, int32_t index) {
  PodFacts pod;
  pod.id.name_space = clique.id.name_space;
  pod.id.name =
      fmt::format("{}-{}", clique.id.name, std::string(5, static_cast<char>('a' + index)));
  pod.id.uid = "uid-" + pod.id.name;
  pod.id.created = At(10 + index);
  pod.id.controller = kube::OwnerReference{.api_version = "grove.io/v1alpha1",
                                           .kind = "PodClique",
                                           .name = clique.id.name,
                                           .uid = clique.id.uid,
                                           .controller = true,
                                           .block_owner_deletion = true};
  pod.clique = clique.id.name;
  pod.gang = clique.gang;
  pod.template_hash = clique.template_hash;
  pod.index = index;
  pod.phase = "Pending";
  pod.unstarted = true;
  return pod;
}

}  // namespace hearth::grove
