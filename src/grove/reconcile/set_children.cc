#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <set>
#include <utility>

#include "grove/model/labels.h"
#include "grove/model/names.h"
#include "grove/reconcile/set_reconciler.h"
#include "grove/render/children.h"

// What a set has once, and in each of its replicas.
namespace hearth::grove {
namespace {

// Of a clique or a group that is there.
template <typename P>
std::optional<int32_t> ReplicasOf(const std::optional<controller::Snapshot<P>>& object) {
  const auto count = object ? (*object)->view()["spec"]["replicas"].Int() : std::nullopt;
  return count ? std::optional(static_cast<int32_t>(*count)) : std::nullopt;
}

std::string HashOf(const std::optional<controller::Snapshot<CliqueFields>>& clique) {
  return clique ? FactsOf<CliqueFacts>(*clique).template_hash : "";
}

// Whether the set has such a thing: a replica that there is, and a part of that name.
bool IsWanted(const SetFacts& set, const CliqueFacts& clique) {
  const int32_t i = clique.place.set_replica.value_or(-1);
  const auto name = NameAfter(set.id.name, i, clique.id.name);
  return i >= 0 && i < set.spec.replicas && name && set.FindClique(*name) != nullptr &&
         set.GroupOf(*name) == nullptr;
}

bool IsWanted(const SetFacts& set, const GroupFacts& group) {
  const int32_t i = group.place.set_replica.value_or(-1);
  const auto name = NameAfter(set.id.name, i, group.id.name);
  return i >= 0 && i < set.spec.replicas && name && set.FindGroup(*name) != nullptr;
}

bool HasAutoscaler(const SetFacts& set) {
  for (const auto& clique : set.parts().cliques) {
    if (clique.spec.auto_scaling) {
      return true;
    }
  }
  for (const auto& group : set.parts().scaling_groups) {
    if (group.scale_config) {
      return true;
    }
  }
  return false;
}

std::set<std::string> AutoscalerNames(const SetFacts& set) {
  std::set<std::string> names;
  for (int32_t i = 0; HasAutoscaler(set) && i < set.spec.replicas; ++i) {
    for (json::Value& autoscaler : RenderAutoscalers(set, i)) {
      names.insert(autoscaler["metadata"]["name"].StringOr(""));
    }
  }
  return names;
}

// Whether an object that is made for each replica belongs to one that there is.
bool IsOfLiveReplica(const SetFacts& set, json::View object) {
  const std::string label = object["metadata"]["labels"][kSetReplicaLabel].StringOr("");
  const auto i = IndexAfter("", "-" + label);
  return !i || *i < set.spec.replicas;
}

}  // namespace

template <typename P, typename Render>
void SetReconciler::Want(Work& work, std::vector<Wish>& wishes, std::string_view code,
                         const controller::Cached<P>& cache, const kube::ResourceType& type,
                         const std::string& name, Birth birth, Render render) {
  auto there = cache.Get({work.set.id.name_space, name});
  if (there && settled_.Knows(**there, work.inputs)) {
    return;
  }
  wishes.push_back(
      {code, [this, &work, &type, there = std::move(there), birth, render]() -> Status {
         const auto* cached = there ? &**there : nullptr;
         ASSIGN_OR_RETURN(const bool sent,
                          Ensure(work.pass, {type, render(there), cached, birth, work.changed},
                                 work.set.id.uid));
         if (!sent && cached != nullptr && !cached->deleting()) {
           settled_.Learn(*cached, work.inputs);
         }
         return {};
       }});
}

void SetReconciler::SyncShared(Work& work) {
  const SetFacts& set = work.set;
  const std::string& name = set.id.name;
  std::vector<Wish> wishes;
  Want(work, wishes, error_code::kServiceAccount, caches_.accounts, kube::types::ServiceAccounts(),
       name, Birth::kCreateOrUse, [&set](const auto&) { return RenderServiceAccount(set); });
  Want(work, wishes, error_code::kRole, caches_.roles, Roles(), RoleName(name), Birth::kCreate,
       [&set](const auto&) { return RenderRole(set); });
  Want(work, wishes, error_code::kRoleBinding, caches_.role_bindings, RoleBindings(),
       RoleName(name), Birth::kCreate, [&set](const auto&) { return RenderRoleBinding(set); });
  if (NeedsTokenSecret(set)) {
    Want(work, wishes, error_code::kSecret, caches_.secrets, kube::types::Secrets(),
         TokenSecretName(name), Birth::kCreate,
         [&set](const auto&) { return RenderTokenSecret(set); });
  }
  Send(work, wishes);
}

void SetReconciler::SyncReplicas(Work& work, const SetWorld& world) {
  std::vector<Wish> wishes;
  const int32_t count = std::max(work.set.spec.replicas, 0);
  // Where one pass cannot do all of them it begins anywhere: none waits behind others for ever.
  thread_local std::mt19937 generator{std::random_device{}()};
  const bool many = static_cast<size_t>(count) > kMostPerPass;
  const int32_t begin = many ? static_cast<int32_t>(generator() % static_cast<uint32_t>(count)) : 0;
  for (int32_t i = 0; i < count && !work.more; ++i) {
    WantReplica(work, world, (begin + i) % count, wishes);
    work.more = wishes.size() >= kMostPerPass && i + 1 < count;
  }
  Send(work, wishes);
}

void SetReconciler::WantReplica(Work& work, const SetWorld& world, int32_t i,
                                std::vector<Wish>& wishes) {
  const SetFacts& set = work.set;
  Want(work, wishes, error_code::kService, caches_.services, kube::types::Services(),
       ReplicaName(set.id.name, i), Birth::kCreate,
       [&set, i](const auto&) { return RenderService(set, i); });
  for (const auto& clique : set.parts().cliques) {
    if (set.GroupOf(clique.name) != nullptr) {
      continue;
    }
    const Hashes& hashes = world.hashes;
    Want(work, wishes, error_code::kClique, caches_.cliques, PodCliques(),
         CliqueName(set.id.name, i, clique.name), Birth::kCreate,
         [&set, &clique, &hashes, i](const auto& there) {
           const std::string hash = hashes.LabelFor(clique.name, HashOf(there));
           return RenderClique(set, clique, i, hash, ReplicasOf(there));
         });
  }
  for (const auto& group : set.parts().scaling_groups) {
    Want(work, wishes, error_code::kGroup, caches_.groups, PodCliqueScalingGroups(),
         GroupName(set.id.name, i, group.name), Birth::kCreate,
         [&set, &group, i](const auto& there) {
           return RenderGroup(set, group, i, ReplicasOf(there));
         });
  }
  if (!HasAutoscaler(set)) {
    return;
  }
  for (json::Value& autoscaler : RenderAutoscalers(set, i)) {
    const std::string name = autoscaler["metadata"]["name"].StringOr("");
    Want(work, wishes, error_code::kAutoscaler, caches_.autoscalers, HorizontalPodAutoscalers(),
         name, Birth::kCreate,
         [autoscaler = std::move(autoscaler)](const auto&) { return autoscaler; });
  }
}

void SetReconciler::RemoveExcess(Work& work, const SetWorld& world) {
  const SetFacts& set = work.set;
  std::vector<Wish> wishes;
  const auto remove = [&](std::string_view code, const kube::ResourceType& type,
                          controller::ObjectPtr object) {
    wishes.push_back({code, [&work, &type, object = std::move(object)] {
                        return Remove(work.pass, type, *object);
                      }});
  };
  for (const CliqueFacts& clique : world.cliques) {
    if (clique.standalone() && !clique.id.deleting && !IsWanted(set, clique)) {
      if (const auto object = caches_.cliques.Get({set.id.name_space, clique.id.name})) {
        remove(error_code::kDeleteClique, PodCliques(), object->ptr());
      }
    }
  }
  for (const GroupFacts& group : world.groups) {
    if (!group.id.deleting && !IsWanted(set, group)) {
      if (const auto object = caches_.groups.Get({set.id.name_space, group.id.name})) {
        remove(error_code::kGroup, PodCliqueScalingGroups(), object->ptr());
      }
    }
  }
  const std::string of_set = InNamespace(set.id.name_space, set.id.name);
  for (const auto& service : caches_.services.Lookup(kBySet, of_set)) {
    if (!IsOfLiveReplica(set, service->view()) &&
        Identity::Of(*service).IsControlledBy(set.id.uid)) {
      remove(error_code::kService, kube::types::Services(), service.ptr());
    }
  }
  const auto autoscalers = caches_.autoscalers.Lookup(kBySet, of_set);
  const std::set<std::string> wanted =
      autoscalers.empty() ? std::set<std::string>() : AutoscalerNames(set);
  for (const auto& autoscaler : autoscalers) {
    if (!wanted.contains(std::string(autoscaler->name())) &&
        Identity::Of(*autoscaler).IsControlledBy(set.id.uid)) {
      remove(error_code::kAutoscaler, HorizontalPodAutoscalers(), autoscaler.ptr());
    }
  }
  Send(work, wishes);
}

std::vector<Removal> SetReconciler::Children(const Identity& set) const {
  std::vector<Removal> children;
  std::set<std::string> owners = {set.uid};  // of what is the set's own
  const std::string of_set = InNamespace(set.name_space, set.name);
  const auto remove = [&](std::string_view code, const kube::ResourceType& type,
                          const auto& cache) {
    std::set<std::string> removed;
    for (const auto& object : cache.Lookup(kBySet, of_set)) {
      const auto controller = Identity::Of(*object).controller;
      if (controller && owners.contains(controller->uid)) {
        removed.insert(object->uid());
        children.push_back({code, &type, object.ptr()});
      }
    }
    owners.merge(removed);
  };
  remove(error_code::kGroup, PodCliqueScalingGroups(), caches_.groups);
  remove(error_code::kDeleteClique, PodCliques(), caches_.cliques);
  remove(error_code::kDeletePod, kube::types::Pods(), caches_.pods);
  remove(error_code::kGang, PodGangs(), caches_.gangs);
  remove(error_code::kService, kube::types::Services(), caches_.services);
  return children;
}

void SetReconciler::Terminate(Work& work, const SetWorld& world, const SetPlan& plan) {
  std::vector<Wish> wishes;
  for (const SetPlan::Termination& termination : plan.terminate) {
    for (const CliqueFacts& clique : world.cliques) {
      const auto object = caches_.cliques.Get({work.set.id.name_space, clique.id.name});
      if (clique.place.set_replica == termination.replica && object) {
        wishes.push_back({error_code::kDeleteClique, [&work, object = object->ptr()] {
                            return Remove(work.pass, PodCliques(), *object);
                          }});
      }
    }
    metrics_.GangTerminated();
    work.pass.Event(PodCliqueSets(), *work.cached, controller::EventType::kWarning,
                    "PodCliqueSetReplicaDeleteSuccessful",
                    fmt::format("replica {} is taken away and made again: {}", termination.replica,
                                termination.why));
  }
  Send(work, wishes);
}

}  // namespace hearth::grove
