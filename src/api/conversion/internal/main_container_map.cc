#include "api/conversion/internal/main_container_map.h"

#include <unordered_map>

#include "api/conversion/internal/fields.h"
#include "api/conversion/internal/resources_map.h"
#include "api/conversion/internal/volume_mounts_map.h"

namespace hearth::api::conversion::internal {
namespace {

bool HasItems(const Tree& list) { return list.IsArray() && list.size() > 0; }

// `over` wins in its place; what is new in it comes last.
Tree MergedByName(const Tree& list, const Tree& over) {
  Tree merged = list;
  std::unordered_map<std::string, size_t> places;
  for (size_t i = 0; i < list.size(); ++i) {
    places.emplace(list.at(i).Find("name").text(), i);
  }
  for (size_t i = 0; i < over.size(); ++i) {
    const Tree item = over.at(i);
    const std::string name(item.Find("name").text());
    const auto [place, fresh] = places.emplace(name, merged.size());
    if (fresh || name.empty()) {
      merged.Append(item);
    } else {
      *merged.AtToChange(place->second) = item;
    }
  }
  return merged;
}

Tree MergedResources(const Tree& resources, const Tree& over) {
  Tree merged = MergedMembers(resources, over);
  if (!resources.IsObject() || !over.IsObject()) {
    return merged;
  }
  for (const std::string_view list : {"requests", "limits"}) {
    SetIfAny(merged, list, MergedMembers(resources.Find(list), over.Find(list)));
  }
  return merged;
}

void AddEnv(const Tree& service, Tree& main) {
  const Tree beside = service.Find("envs");
  if (HasItems(beside)) {
    const Tree own = main.Find("env");
    main.Set("env", HasItems(own) ? MergedByName(beside, own) : beside);
  }
}

void AddEnvFrom(const Tree& service, Tree& main) {
  if (!HasItems(main.Find("envFrom"))) {
    SetIfAny(main, "envFrom", EnvFromSecret(service.Find("envFromSecret")));
  }
}

void AddProbe(const Tree& service, std::string_view name, Tree& main) {
  if (const Tree probe = service.Find(name); Given(probe) && !Given(main.Find(name))) {
    main.Set(name, probe);
  }
}

void AddResources(const Tree& service, Tree& main) {
  const Tree beside = ResourcesToBeta(service.Find("resources"));
  if (beside.Exists()) {
    main.Set("resources", MergedResources(beside, main.Find("resources")));
  }
}

void AddMounts(const Tree& service, Tree& main) {
  const Tree beside = MountsToBeta(service.Find("volumeMounts"));
  if (!HasItems(beside)) {
    return;
  }
  Tree mounts = HasItems(main.Find("volumeMounts")) ? main.Find("volumeMounts") : Tree::Array();
  for (size_t i = 0; i < beside.size(); ++i) {
    mounts.Append(beside.at(i));
  }
  main.Set("volumeMounts", mounts);
}

// Moves a member when the service can say it.
void Move(Tree& main, std::string_view from, Tree& service, std::string_view to, const Tree& said) {
  if (said.Exists()) {
    service.Set(to, said);
    main.Erase(from);
  }
}

Tree IfGiven(const Tree& value) { return Given(value) ? value : Tree(); }
Tree IfItems(const Tree& list) { return HasItems(list) ? list : Tree(); }

}  // namespace

Tree EnvFromSecret(const Tree& name) {
  if (name.text().empty()) {
    return Tree();
  }
  Tree reference = Tree::Object();
  reference.Set("name", name);
  Tree source = Tree::Object();
  source.Set("secretRef", reference);
  Tree list = Tree::Array();
  list.Append(source);
  return list;
}

Tree SecretOf(const Tree& env_from) {
  if (!env_from.IsArray() || env_from.size() != 1) {
    return Tree();
  }
  const Tree name = env_from.at(0).Find("secretRef").Find("name");
  return EnvFromSecret(name) == env_from ? name : Tree();
}

Tree MainToBeta(const Tree& service) {
  const Tree own = service.Find("extraPodSpec").Find("mainContainer");
  Tree main = own.IsObject() ? own : Tree::Object();
  main.Erase("name");
  AddResources(service, main);
  AddEnv(service, main);
  AddEnvFrom(service, main);
  AddMounts(service, main);
  AddProbe(service, "livenessProbe", main);
  AddProbe(service, "readinessProbe", main);
  return main;
}

Tree MainToAlpha(const Tree& container, Tree& service) {
  Tree main = container;
  main.Erase("name");
  Move(main, "resources", service, "resources", ResourcesToAlpha(main.Find("resources")));
  Move(main, "env", service, "envs", IfItems(main.Find("env")));
  Move(main, "envFrom", service, "envFromSecret", SecretOf(main.Find("envFrom")));
  for (const std::string_view probe : {"livenessProbe", "readinessProbe"}) {
    Move(main, probe, service, probe, IfGiven(main.Find(probe)));
  }
  const Tree mounts = MountsToAlpha(main.Find("volumeMounts"));
  if (mounts.Exists()) {
    Tree beside =
        service.Find("volumeMounts").IsArray() ? service.Find("volumeMounts") : Tree::Array();
    for (size_t i = 0; i < mounts.size(); ++i) {
      beside.Append(mounts.at(i));
    }
    Move(main, "volumeMounts", service, "volumeMounts", beside);
  }
  return main;
}

}  // namespace hearth::api::conversion::internal
