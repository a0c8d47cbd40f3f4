#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "dynamo/model/labels.h"
#include "dynamo/model/names.h"
#include "dynamo/operator/graph_work.h"
#include "dynamo/render/clique_set.h"
#include "json/parse.h"
#include "kube/model/object.h"
#include "pods/lists.h"

// A graph as one PodCliqueSet.
namespace hearth::dynamo {
namespace {

namespace dyn = api::dynamo;
using json::Value;

constexpr const char* kCliques = "spec.template.cliques";
constexpr const char* kGroups = "spec.template.podCliqueScalingGroups";

bool Waits(const GraphWork& work, const std::string& component) {
  const auto start = work.starts.find(component);
  return start != work.starts.end() && start->second.way == StartWay::kWaits;
}

bool HasGate(const dyn::ComponentSpec& component) {
  const auto* const config = CheckpointOf(component);
  return config != nullptr &&
         config->startup_policy == dyn::CheckpointStartupPolicy::kWaitForCheckpoint;
}

json::View ItemNamed(json::View list, std::string_view name) {
  for (const json::View item : list.items()) {
    if (item["name"].Equals(name)) {
      return item;
    }
  }
  return {};
}

// The list to change; nothing when there is none.
Value::Items* ListAt(Value& set, const char* path) {
  const Value* const list = set.FindPath(path);
  return list != nullptr && list->IsArray() ? &set.MakePath(path).items() : nullptr;
}

// The restart id that the pods of a component are asked to have, by the set as it is.
std::string StampOf(json::View set, const dyn::ComponentSpec& component) {
  const json::View cliques = json::Resolve(set, kCliques);
  for (const CliqueOutline& outline : CliquesOf(component)) {
    if (!outline.memory_server) {
      return ItemNamed(cliques, outline.name)["annotations"][kRestartAnnotation].StringOr("");
    }
  }
  return "";
}

// A set cannot be made with nothing of a component: Grove takes 0 for 1, or refuses it. So it is
// not made before the last checkpoint is there; in one that is, cliques are scaled to nothing.
bool AnyWaits(const GraphWork& work) {
  const auto& components = work.graph.spec.components;
  return std::any_of(components.begin(), components.end(),
                     [&](const auto& component) { return Waits(work, component.name); });
}

// ---- What is there.

std::string ScaledName(const GraphWork& work, const dyn::ComponentSpec& component) {
  return fmt::format("{}-0-{}", SetNameOf(work.graph), Lower(component.name));
}

std::optional<controller::Snapshot<ScaledFields>> FindScaled(const GraphWork& work,
                                                             const dyn::ComponentSpec& component) {
  const auto& cache = NeedsScalingGroup(component) ? work.caches.groups : work.caches.cliques;
  return cache->Get({work.graph.name_space, ScaledName(work, component)});
}

int32_t WantedOf(const GraphWork& work, const dyn::ComponentSpec& component) {
  return Waits(work, component.name) ? 0 : component.replicas.value_or(1);
}

ComponentProgress ProgressOf(const GraphWork& work, const dyn::ComponentSpec& component) {
  const bool group = NeedsScalingGroup(component);
  const auto scaled = FindScaled(work, component);
  if (!scaled) {
    return OfNothing(component.name, group ? dyn::ComponentKind::kPodCliqueScalingGroup
                                           : dyn::ComponentKind::kPodClique);
  }
  const Running running{.name = std::string((*scaled)->name()),
                        .generation = (*scaled)->generation(),
                        .status = (*scaled)->view()["status"]};
  const int32_t wanted = WantedOf(work, component);
  return group ? OfScalingGroup(component.name, running, wanted)
               : OfClique(component.name, running, wanted);
}

// ---- What should be there.

Status ShapePod(const GraphWork& work, const dyn::ComponentSpec& component,
                const CliqueOutline& clique, Value& pod) {
  if (const auto stamp = work.restart.stamps.find(component.name);
      stamp != work.restart.stamps.end() && !stamp->second.empty()) {
    pods::SetAnnotation(pod, kRestartAnnotation, stamp->second);
  }
  const auto start = work.starts.find(component.name);
  const auto found = work.checkpoints.find(component.name);
  const CheckpointFacts* const checkpoint =
      found == work.checkpoints.end() ? nullptr : &found->second;
  const StartSurroundings surroundings{work.storage, work.options.seccomp_profile};
  if (clique.memory_server) {
    return start == work.starts.end()
               ? Status()
               : ShapeMemoryServer(pod, component, start->second, checkpoint, surroundings);
  }
  return ShapeStart(pod, component, start == work.starts.end() ? ComponentStart() : start->second,
                    checkpoint, surroundings);
}

Result<Value> RenderSet(const GraphWork& work) {
  GraphRequest request{
      .graph = work.graph, .surroundings = work.options.surroundings, .grove = work.options.grove};
  request.pull_secrets = work.caches.PullSecretsIn(work.graph.name_space);
  for (const dyn::ComponentSpec& component : work.graph.spec.components) {
    ComponentState& state = request.components[component.name];
    if (const auto start = work.starts.find(component.name); start != work.starts.end()) {
      state.checkpoint_ready = start->second.ready;
    }
    if (const auto claim = work.claim_templates.find(component.name);
        claim != work.claim_templates.end()) {
      state.claim_template = claim->second;
    }
    state.worker_hash = work.WorkerHashOf(component);
  }
  request.shape = [&](const dyn::ComponentSpec& component, const CliqueOutline& clique,
                      Value& pod) { return ShapePod(work, component, clique, pod); };
  return RenderCliqueSet(request);
}

// Numbers in an existing set are those it was made with: cliques and groups are scaled by
// themselves.
void KeepNumbers(json::View there, Value& set) {
  const auto keep = [&](const char* path, const char* field) {
    Value::Items* const items = ListAt(set, path);
    for (size_t i = 0; items != nullptr && i < items->size(); ++i) {
      Value& item = (*items)[i];
      const json::View own = ItemNamed(json::Resolve(there, path), pods::Text(item, "name"));
      const auto number = json::Resolve(own, field).Int();
      if (number) {
        item.MakePath(field) = *number;
      }
    }
  };
  keep(kCliques, "spec.replicas");
  keep(kGroups, "replicas");
}

// Cliques and groups in the order in which they stand there, new ones last.
void KeepOrder(json::View there, Value& set) {
  for (const char* const path : {kCliques, kGroups}) {
    std::vector<std::string> order;
    for (const json::View item : json::Resolve(there, path).items()) {
      order.push_back(item["name"].StringOr(""));
    }
    const auto place = [&](const Value& item) {
      return std::find(order.begin(), order.end(), pods::Text(item, "name")) - order.begin();
    };
    if (Value::Items* const items = ListAt(set, path); items != nullptr) {
      std::stable_sort(items->begin(), items->end(),
                       [&](const Value& a, const Value& b) { return place(a) < place(b); });
    }
  }
}

Status Scale(GraphWork& work, const dyn::ComponentSpec& component,
             const controller::CachedObject& scaled, int32_t replicas) {
  const kube::ResourceType& type = NeedsScalingGroup(component) ? ScalingGroups() : Cliques();
  Value patch;
  patch.MakePath("spec.replicas") = replicas;
  const json::Blob body = patch.ToBlob();
  ASSIGN_OR_RETURN(
      const kube::Object object,
      work.pass.client().Patch(type, scaled.key(), kube::PatchType::kMerge, body.view(),
                               work.pass.limit(), {.subresource = "scale"}));
  work.pass.Wrote(type, object);
  work.pass.Event(Graphs(), *work.cached, controller::EventType::kNormal, "Scaled",
                  fmt::format("component \"{}\" is scaled to {}", component.name, replicas));
  return {};
}

// Components that somebody else scales keep what they have.
void WantScale(GraphWork& work, Children& children) {
  for (const dyn::ComponentSpec& component : work.graph.spec.components) {
    const auto scaled = FindScaled(work, component);
    if (!scaled || (*scaled)->deleting() || (component.scaling_adapter && !HasGate(component))) {
      continue;
    }
    const int32_t wanted = WantedOf(work, component);
    if ((*scaled)->view()["spec"]["replicas"].Int().value_or(wanted) != wanted) {
      children.Do([&work, &component, object = scaled->ptr(), wanted] {
        return Scale(work, component, *object, wanted);
      });
    }
  }
}

void RemoveComponents(GraphWork& work, Children& children) {
  for (const auto& child : work.caches.components.Lookup(kByOwner, work.uid())) {
    const auto controller = kube::Meta(child->view()).controller();
    if (controller && controller->uid == work.uid()) {
      children.Remove(ComponentDeployments(), child.ptr());
    }
  }
}

}  // namespace

void SyncCliqueSet(GraphWork& work) {
  const auto there = work.caches.sets->Get({work.graph.name_space, SetNameOf(work.graph)});
  std::vector<RestartProgress> restarts;
  for (const dyn::ComponentSpec& component : work.graph.spec.components) {
    work.progress.push_back(ProgressOf(work, component));
    restarts.push_back({.component = component.name,
                        .stamp = there ? StampOf((*there)->view(), component) : "",
                        .settled = work.progress.back().missing == Missing::kNothing});
  }
  work.restart = PlanRestart(work.graph.spec.restart, work.before.restart, restarts);

  Children children(work);
  auto set = RenderSet(work);
  if (!set.ok()) {
    work.Fail(set.status());
  } else if (there || !AnyWaits(work)) {
    if (there) {
      KeepNumbers((*there)->view(), *set);
      KeepOrder((*there)->view(), *set);
    }
    children.Want(CliqueSets(), *std::move(set),
                  there ? std::optional(there->ptr()) : std::nullopt);
  }
  WantScale(work, children);
  RemoveComponents(work, children);
  children.Send();
}

}  // namespace hearth::dynamo
