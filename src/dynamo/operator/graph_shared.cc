#include <fmt/format.h>

#include <algorithm>

#include "dynamo/model/labels.h"
#include "dynamo/model/names.h"
#include "dynamo/operator/graph_work.h"
#include "dynamo/render/children.h"
#include "kube/model/object.h"
#include "pods/lists.h"

// What a graph has once, and what each component has on either way.
namespace hearth::dynamo {
namespace {

namespace dyn = api::dynamo;
using json::Value;

template <typename P>
std::optional<controller::ObjectPtr> Find(const controller::Cached<P>& cache, const GraphWork& work,
                                          const Value& object) {
  const auto found =
      cache.Get({work.graph.name_space, std::string(pods::Text(*object.Find("metadata"), "name"))});
  return found ? std::optional(found->ptr()) : std::nullopt;
}

// The binding comes after its role: who makes it must hold what the role gives.
void WantAccount(GraphWork& work, Children& children, Children& afterwards) {
  if (work.options.surroundings.discovery_backend != kKubernetesDiscovery) {
    return;
  }
  for (Value& object : RenderDiscoveryAccount(work.graph)) {
    const std::string kind(pods::Text(object, "kind"));
    if (kind == "ServiceAccount") {
      auto there = Find(work.caches.accounts, work, object);
      children.Want(kube::types::ServiceAccounts(), std::move(object), std::move(there));
    } else if (kind == "Role") {
      auto there = Find(work.caches.roles, work, object);
      children.Want(Roles(), std::move(object), std::move(there));
    } else {
      auto there = Find(work.caches.role_bindings, work, object);
      afterwards.Want(RoleBindings(), std::move(object), std::move(there));
    }
  }
}

Status NoClaims() {
  return UnsupportedError(
      "gpuMemoryService / inter-pod GMS failover requires DRA (Dynamic Resource Allocation), but "
      "DRA is not available (either the resource.k8s.io/v1 API is not registered on this cluster, "
      "which requires Kubernetes 1.34+, or DRA has been explicitly disabled in the operator "
      "configuration)");
}

Status CheckDeviceClass(const GraphWork& work, const dyn::ComponentSpec& component) {
  const std::string& name = MemoryOf(component)->device_class_name;
  if (work.caches.device_classes->Get({"", name})) {
    return {};
  }
  return NotFoundError(
      fmt::format("component \"{}\": DeviceClass \"{}\" not found: ensure the GPU DRA driver is "
                  "installed and the device class is registered",
                  component.name, name));
}

void WantClaimTemplates(GraphWork& work, Children& children) {
  if (!work.caches.claim_templates) {
    for (const dyn::ComponentSpec& component : work.graph.spec.components) {
      if (MemoryOf(component) != nullptr || HasInterPodFailover(component)) {
        work.Fail(NoClaims());
        return;
      }
    }
    return;
  }
  for (const dyn::ComponentSpec& component : work.graph.spec.components) {
    if (MemoryOf(component) == nullptr) {
      continue;
    }
    work.Fail(CheckDeviceClass(work, component));
    auto object = RenderClaimTemplate(work.graph, WithGraphDefaults(work.graph, component));
    if (!object.ok()) {
      work.Fail(object.status());
      continue;
    }
    if (!*object) {
      continue;
    }
    work.claim_templates[component.name] = pods::Text(*(**object).Find("metadata"), "name");
    auto there = Find(*work.caches.claim_templates, work, **object);
    children.Want(ClaimTemplates(), **std::move(object), std::move(there),
                  controller::Birth::kCreate);
  }
}

// Without Grove each component deployment has its own.
void WantServices(GraphWork& work, Children& children) {
  if (!UsesGrove(work)) {
    return;
  }
  for (const dyn::ComponentSpec& component : work.graph.spec.components) {
    Value service = RenderService(work.graph, component, work.options.surroundings);
    auto there = Find(work.caches.services, work, service);
    children.Want(kube::types::Services(), std::move(service), std::move(there));
  }
}

}  // namespace

void SyncShared(GraphWork& work) {
  Children children(work);
  Children afterwards(work);
  WantAccount(work, children, afterwards);
  WantClaimTemplates(work, children);
  WantServices(work, children);
  children.Send();
  afterwards.Send();
}

void ForgetUnused(GraphWork& work) {
  if (!work.caches.claim_templates) {
    return;
  }
  Children children(work);
  const std::string graph = kube::ObjectKey{work.graph.name_space, work.graph.name}.ToString();
  for (const auto& there : work.caches.claim_templates->Lookup(kByGraph, graph)) {
    const auto controller = kube::Meta(there->view()).controller();
    const bool ours = controller && controller->uid == work.uid();
    const bool wanted =
        std::any_of(work.claim_templates.begin(), work.claim_templates.end(),
                    [&](const auto& entry) { return entry.second == there->name(); });
    if (ours && !wanted) {
      children.Remove(ClaimTemplates(), there.ptr());
    }
  }
  children.Send();
}

}  // namespace hearth::dynamo
