#include "api/conversion/internal/component_map.h"

#include <algorithm>

#include "api/conversion/internal/features_map.h"
#include "api/conversion/internal/fields.h"
#include "api/conversion/internal/pod_map.h"
#include "api/conversion/internal/resources_map.h"
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
Tree TypeToBeta(const Tree& service, Arena& arena) {
  const Tree type = arena.Find(service, "componentType");
  const Tree role = arena.Find(service, "subComponentType");
  if (type.text() == "worker" && IsWorkerRole(role.text())) {
    return role;
  }
  return IsType(type.text()) ? type : Tree();
}

void TypeToAlpha(const Tree& type, ObjectBuilder& service) {
  static const json::Value kWorker("worker");
  if (IsWorkerRole(type.text())) {
    service.Set("componentType", Tree(&kWorker));
    service.Set("subComponentType", type);
  } else if (IsType(type.text())) {
    service.Set("componentType", type);
  }
}

bool IsSize(const Tree& size) { return size.IsString() || size.kind() == json::Kind::kNumber; }

bool IsZero(const Tree& size, Arena& arena) {
  const std::string_view text = size.IsString() ? size.text() : size.scalar().number();
  arena.Spend(text.size());
  if (!text.empty() && text.front() != '0' && IsPlainQuantity(text)) {
    return false;
  }
  SpendParsing(text, arena);
  const auto quantity = json::Quantity::Parse(text);
  return quantity.ok() && *quantity == json::Quantity();
}

Tree SharedMemoryToBeta(const Tree& memory, Arena& arena) {
  static const json::Value kNone("0");
  const Tree size = arena.Find(memory, "size");
  if (arena.Find(memory, "disabled").IsTrue() || (IsSize(size) && IsZero(size, arena))) {
    return Tree(&kNone);
  }
  return IsSize(size) ? size : Tree();
}

Tree SharedMemoryToAlpha(const Tree& size, Arena& arena) {
  if (!IsSize(size)) {
    return Tree();
  }
  ObjectBuilder memory(arena, 1);
  if (IsZero(size, arena)) {
    memory.Add("disabled", Flag(true));
  } else {
    memory.Add("size", size);
  }
  return memory.Build();
}

Tree SidecarName(const Tree& sidecar) {
  static const json::Value kName(kFrontendSidecar);
  return sidecar.IsObject() ? Tree(&kName) : Tree();
}

void CacheToMounts(const Tree& cache, ObjectBuilder& service) {
  if (const Tree mount = CacheToAlpha(cache, service.arena()); mount.Exists()) {
    ListBuilder mounts(service.arena());
    mounts.Append(mount);
    service.Set("volumeMounts", mounts.Build());
  }
}

}  // namespace

Tree ComponentToBeta(const Tree& service, const Tree& name, Arena& arena) {
  ObjectBuilder component(arena, 16);
  component.SetIfAny("name", name);
  component.SetIfAny("type", TypeToBeta(service, arena));
  CopyToBeta(ComponentFields(), service, component);
  component.SetIfAny("podTemplate", PodToBeta(service, arena));
  component.SetIfAny("sharedMemorySize",
                     SharedMemoryToBeta(arena.Find(service, "sharedMemory"), arena));
  component.SetIfAny("scalingAdapter", MarkOf(arena.Find(service, "scalingAdapter"), arena));
  component.SetIfAny("frontendSidecar", SidecarName(arena.Find(service, "frontendSidecar")));
  component.SetIfAny("compilationCache", CacheToBeta(arena.Find(service, "volumeMounts"), arena));
  component.SetIfAny("experimental", FeaturesToBeta(service, arena));
  return component.Build();
}

void ComponentToAlpha(const Tree& component, ObjectBuilder& service) {
  Arena& arena = service.arena();
  TypeToAlpha(arena.Find(component, "type"), service);
  CopyToAlpha(ComponentFields(), component, service);
  service.SetIfAny("sharedMemory",
                   SharedMemoryToAlpha(arena.Find(component, "sharedMemorySize"), arena));
  service.SetIfAny("scalingAdapter", FlagOf(arena.Find(component, "scalingAdapter"), arena));
  CacheToMounts(arena.Find(component, "compilationCache"), service);
  PodToAlpha(component, service);
  FeaturesToAlpha(arena.Find(component, "experimental"), service);
}

// componentName is the last of componentNames.
Tree ReplicaStatusToBeta(const Tree& status, Arena& arena) {
  if (!status.IsObject()) {
    return Tree();
  }
  ObjectBuilder mapped(arena, status.size() + 1);
  CopyToBeta(ReplicaStatusFields(), status, mapped);
  const Tree names = arena.Find(status, "componentNames");
  const Tree name = arena.Find(status, "componentName");
  if (names.size() == 0 && !name.text().empty()) {
    ListBuilder list(arena, 1);
    list.Append(name);
    mapped.Set("componentNames", list.Build());
  } else {
    mapped.SetIfAny("componentNames", names);
  }
  return mapped.Build();
}

Tree ReplicaStatusToAlpha(const Tree& status, Arena& arena) {
  if (!status.IsObject()) {
    return Tree();
  }
  ObjectBuilder mapped(arena, status.size() + 1);
  CopyToAlpha(ReplicaStatusFields(), status, mapped);
  const Tree names = arena.Find(status, "componentNames");
  mapped.SetIfAny("componentNames", names);
  if (names.IsArray() && names.size() > 0 && names.at(names.size() - 1).IsString()) {
    mapped.Set("componentName", names.at(names.size() - 1));
  }
  return mapped.Build();
}

}  // namespace hearth::api::conversion::internal
