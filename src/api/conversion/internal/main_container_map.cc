#include "api/conversion/internal/main_container_map.h"

#include <string>

#include "api/conversion/internal/fields.h"
#include "api/conversion/internal/resources_map.h"
#include "api/conversion/internal/volume_mounts_map.h"
#include "base/seeded_hash.h"

namespace hearth::api::conversion::internal {
namespace {

bool HasItems(const Tree& list) { return list.IsArray() && list.size() > 0; }

// `over` wins in its place; what is new in it comes last.
Tree MergedByName(const Tree& list, const Tree& over, Arena& arena) {
  ListBuilder merged(arena, list);
  SeededMap<std::string_view, size_t> places;
  for (size_t i = 0; i < list.size(); ++i) {
    const std::string_view name = arena.Find(list.at(i), "name").text();
    arena.SpendIndexing(name);
    places.emplace(name, i);
  }
  for (size_t i = 0; i < over.size(); ++i) {
    const Tree item = over.at(i);
    const std::string_view name = arena.Find(item, "name").text();
    arena.SpendIndexing(name);
    const auto [place, fresh] = places.emplace(name, merged.size());
    if (fresh || name.empty()) {
      merged.Append(item);
    } else {
      merged.Replace(place->second, item);
    }
  }
  return merged.Build();
}

Tree MergedResources(const Tree& resources, const Tree& over, Arena& arena) {
  if (!resources.IsObject() || !over.IsObject()) {
    return MergedMembers(resources, over, arena);
  }
  ObjectBuilder merged(arena, MergedMembers(resources, over, arena));
  for (const std::string_view list : {"requests", "limits"}) {
    merged.SetIfAny(list,
                    MergedMembers(arena.Find(resources, list), arena.Find(over, list), arena));
  }
  return merged.Build();
}

void AddEnv(const Tree& service, ObjectBuilder& main) {
  const Tree beside = main.arena().Find(service, "envs");
  if (HasItems(beside)) {
    const Tree own = main.Find("env");
    main.Set("env", HasItems(own) ? MergedByName(beside, own, main.arena()) : beside);
  }
}

void AddEnvFrom(const Tree& service, ObjectBuilder& main) {
  if (!HasItems(main.Find("envFrom"))) {
    main.SetIfAny("envFrom",
                  EnvFromSecret(main.arena().Find(service, "envFromSecret"), main.arena()));
  }
}

void AddProbe(const Tree& service, std::string_view name, ObjectBuilder& main) {
  if (const Tree probe = main.arena().Find(service, name);
      Given(probe) && !Given(main.Find(name))) {
    main.Set(name, probe);
  }
}

void AddResources(const Tree& service, ObjectBuilder& main) {
  const Tree beside = ResourcesToBeta(main.arena().Find(service, "resources"), main.arena());
  if (beside.Exists()) {
    main.Set("resources", MergedResources(beside, main.Find("resources"), main.arena()));
  }
}

void AddMounts(const Tree& service, ObjectBuilder& main) {
  const Tree beside = MountsToBeta(main.arena().Find(service, "volumeMounts"), main.arena());
  if (HasItems(beside)) {
    ListBuilder mounts(main.arena(), main.Find("volumeMounts"));
    mounts.AppendAll(beside);
    main.Set("volumeMounts", mounts.Build());
  }
}

// Moves a member when the service can say it.
void Move(ObjectBuilder& main, std::string_view from, ObjectBuilder& service, std::string_view to,
          const Tree& said) {
  if (said.Exists()) {
    service.Set(to, said);
    main.Erase(from);
  }
}

// After the compilation cache, which is there already.
void MoveMounts(ObjectBuilder& main, ObjectBuilder& service) {
  const Tree mounts = MountsToAlpha(main.Find("volumeMounts"), main.arena());
  if (mounts.Exists()) {
    ListBuilder beside(main.arena(), service.Find("volumeMounts"));
    beside.AppendAll(mounts);
    Move(main, "volumeMounts", service, "volumeMounts", beside.Build());
  }
}

Tree IfGiven(const Tree& value) { return Given(value) ? value : Tree(); }
Tree IfItems(const Tree& list) { return HasItems(list) ? list : Tree(); }

}  // namespace

Tree EnvFromSecret(const Tree& name, Arena& arena) {
  if (name.text().empty()) {
    return Tree();
  }
  ObjectBuilder reference(arena, 1);
  reference.Add("name", name);
  ObjectBuilder source(arena, 1);
  source.Add("secretRef", reference.Build());
  ListBuilder list(arena, 1);
  list.Append(source.Build());
  return list.Build();
}

Tree SecretOf(const Tree& env_from, Arena& arena) {
  if (!env_from.IsArray() || env_from.size() != 1 || env_from.at(0).size() != 1) {
    return Tree();
  }
  const Tree reference = arena.Find(env_from.at(0), "secretRef");
  const Tree name = arena.Find(reference, "name");
  return reference.size() == 1 && !name.text().empty() ? name : Tree();
}

void MainToBeta(const Tree& service, ObjectBuilder& container) {
  Arena& arena = container.arena();
  const Tree own = arena.Find(arena.Find(service, "extraPodSpec"), "mainContainer");
  for (size_t i = 0; own.IsObject() && i < own.size(); ++i) {
    if (own.name(i) != "name") {
      container.Add(own.name(i), own.at(i));
    }
  }
  AddResources(service, container);
  AddEnv(service, container);
  AddEnvFrom(service, container);
  AddMounts(service, container);
  AddProbe(service, "livenessProbe", container);
  AddProbe(service, "readinessProbe", container);
}

Tree MainToAlpha(const Tree& container, ObjectBuilder& service) {
  ObjectBuilder main(service.arena(), container);
  main.Erase("name");
  Move(main, "resources", service, "resources",
       ResourcesToAlpha(main.Find("resources"), main.arena()));
  Move(main, "env", service, "envs", IfItems(main.Find("env")));
  Move(main, "envFrom", service, "envFromSecret", SecretOf(main.Find("envFrom"), main.arena()));
  for (const std::string_view probe : {"livenessProbe", "readinessProbe"}) {
    Move(main, probe, service, probe, IfGiven(main.Find(probe)));
  }
  MoveMounts(main, service);
  return main.BuildIfAny();
}

}  // namespace hearth::api::conversion::internal
