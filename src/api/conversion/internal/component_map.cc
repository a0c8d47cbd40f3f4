#include "api/conversion/internal/component_map.h"

#include <algorithm>

#include "api/conversion/internal/features_map.h"
#include "api/conversion/internal/fields.h"
#include "api/conversion/internal/pod_map.h"
#include "api/conversion/internal/volume_mounts_map.h"
#include "api/dynamo/component.h"
#include "json/quantity.h"

namespace hearth::api::conversion::internal {
namespace {

bool IsType(std::string_view text) {
  const auto& types = dynamo::kComponentTypes;
  return std::any_of(std::begin(types), std::end(types),
                     [&](const auto& type) { return type.first == text; });
}

bool IsWorkerRole(std::string_view text) { return text == "prefill" || text == "decode"; }

// Nothing for a type that v1beta1 does not have.
Tree TypeToBeta(const Tree& service) {
  const Tree type = service.Find("componentType");
  const Tree role = service.Find("subComponentType");
  if (type.text() == "worker" && IsWorkerRole(role.text())) {
    return role;
  }
  return IsType(type.text()) ? type : Tree();
}

void TypeToAlpha(const Tree& type, Tree& service) {
  if (IsWorkerRole(type.text())) {
    service.Set("componentType", Tree::Text("worker"));
    service.Set("subComponentType", type);
  } else if (IsType(type.text())) {
    service.Set("componentType", type);
  }
}

bool IsSize(const Tree& size) { return size.IsString() || size.kind() == json::Kind::kNumber; }

bool IsZero(const Tree& size) {
  const auto quantity =
      json::Quantity::Parse(size.IsString() ? size.text() : size.scalar().number());
  return quantity.ok() && *quantity == json::Quantity();
}

Tree SharedMemoryToBeta(const Tree& memory) {
  const Tree size = memory.Find("size");
  if (memory.Find("disabled").IsTrue() || (IsSize(size) && IsZero(size))) {
    return Tree::Text("0");
  }
  return IsSize(size) ? size : Tree();
}

Tree SharedMemoryToAlpha(const Tree& size) {
  if (!IsSize(size)) {
    return Tree();
  }
  Tree memory = Tree::Object();
  if (IsZero(size)) {
    memory.Set("disabled", Tree::Own(true));
  } else {
    memory.Set("size", size);
  }
  return memory;
}

Tree SidecarName(const Tree& sidecar) {
  return sidecar.IsObject() ? Tree::Text(kFrontendSidecar) : Tree();
}

}  // namespace

Tree ComponentToBeta(const Tree& service, const Tree& name) {
  Tree component = Tree::Object();
  SetIfAny(component, "name", name);
  SetIfAny(component, "type", TypeToBeta(service));
  CopyToBeta(ComponentFields(), service, component);
  SetIfAny(component, "podTemplate", PodToBeta(service));
  SetIfAny(component, "sharedMemorySize", SharedMemoryToBeta(service.Find("sharedMemory")));
  SetIfAny(component, "scalingAdapter", MarkOf(service.Find("scalingAdapter")));
  SetIfAny(component, "frontendSidecar", SidecarName(service.Find("frontendSidecar")));
  SetIfAny(component, "compilationCache", CacheToBeta(service.Find("volumeMounts")));
  SetIfAny(component, "experimental", FeaturesToBeta(service));
  return component;
}

Tree ComponentToAlpha(const Tree& component) {
  Tree service = Tree::Object();
  TypeToAlpha(component.Find("type"), service);
  CopyToAlpha(ComponentFields(), component, service);
  SetIfAny(service, "sharedMemory", SharedMemoryToAlpha(component.Find("sharedMemorySize")));
  SetIfAny(service, "scalingAdapter", FlagOf(component.Find("scalingAdapter")));
  if (const Tree cache = CacheToAlpha(component.Find("compilationCache")); cache.Exists()) {
    Tree mounts = Tree::Array();
    mounts.Append(cache);
    service.Set("volumeMounts", mounts);
  }
  PodToAlpha(component, service);
  FeaturesToAlpha(component.Find("experimental"), service);
  return service;
}

// componentName is the last of componentNames.
Tree ReplicaStatusToBeta(const Tree& status) {
  if (!status.IsObject()) {
    return Tree();
  }
  Tree mapped = Tree::Object();
  CopyToBeta(ReplicaStatusFields(), status, mapped);
  const Tree names = status.Find("componentNames");
  const Tree name = status.Find("componentName");
  if ((names.size() == 0) && !name.text().empty()) {
    Tree list = Tree::Array();
    list.Append(name);
    mapped.Set("componentNames", list);
  } else {
    SetIfAny(mapped, "componentNames", names);
  }
  return mapped;
}

Tree ReplicaStatusToAlpha(const Tree& status) {
  if (!status.IsObject()) {
    return Tree();
  }
  Tree mapped = Tree::Object();
  CopyToAlpha(ReplicaStatusFields(), status, mapped);
  const Tree names = status.Find("componentNames");
  SetIfAny(mapped, "componentNames", names);
  if (names.IsArray() && names.size() > 0 && names.at(names.size() - 1).IsString()) {
    mapped.Set("componentName", names.at(names.size() - 1));
  }
  return mapped;
}

}  // namespace hearth::api::conversion::internal
