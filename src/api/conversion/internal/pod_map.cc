#include "api/conversion/internal/pod_map.h"

#include "api/conversion/internal/main_container_map.h"

namespace hearth::api::conversion::internal {
namespace {

bool IsNamed(const Tree& container, std::string_view name, Arena& arena) {
  return arena.Find(container, "name").text() == name;
}

Tree Metadata(const Tree& from, Arena& arena) {
  if (from.size() == 0) {
    return Tree();
  }
  ObjectBuilder metadata(arena, 2);
  metadata.SetIfAny("annotations", arena.Find(from, "annotations"));
  metadata.SetIfAny("labels", arena.Find(from, "labels"));
  return metadata.BuildIfAny();
}

Tree SidecarToBeta(const Tree& sidecar, Arena& arena) {
  static const json::Value kName(kFrontendSidecar);
  ObjectBuilder container(arena);
  container.Add("name", Tree(&kName));
  container.SetIfAny("image", arena.Find(sidecar, "image"));
  container.SetIfAny("args", arena.Find(sidecar, "args"));
  container.SetIfAny("env", arena.Find(sidecar, "envs"));
  container.SetIfAny("envFrom", EnvFromSecret(arena.Find(sidecar, "envFromSecret"), arena));
  return container.Build();
}

Tree SidecarToAlpha(const Tree& container, Arena& arena) {
  ObjectBuilder sidecar(arena);
  sidecar.SetIfAny("image", arena.Find(container, "image"));
  sidecar.SetIfAny("args", arena.Find(container, "args"));
  sidecar.SetIfAny("envs", arena.Find(container, "env"));
  sidecar.SetIfAny("envFromSecret", SecretOf(arena.Find(container, "envFrom"), arena));
  return sidecar.Build();
}

// Appends the containers of a list but for those of one or two names.
void AppendWithout(const Tree& containers, std::string_view name, std::string_view other,
                   ListBuilder& to) {
  Arena& arena = to.arena();
  for (size_t i = 0; containers.IsArray() && i < containers.size(); ++i) {
    const Tree container = containers.at(i);
    if (!IsNamed(container, name, arena) && !IsNamed(container, other, arena)) {
      to.Append(container);
    }
  }
}

Tree Main(const Tree& service, Arena& arena) {
  static const json::Value kName(kMainContainer);
  ObjectBuilder container(arena, 16);
  container.Add("name", Tree(&kName));
  MainToBeta(service, container);
  return container.Build();
}

// main, then the others; the frontend of a service, if it has one, comes last.
Tree Containers(const Tree& service, Arena& arena) {
  ListBuilder containers(arena);
  containers.Append(Main(service, arena));
  const Tree frontend = arena.Find(service, "frontendSidecar");
  AppendWithout(arena.Find(arena.Find(service, "extraPodSpec"), "containers"), kMainContainer,
                frontend.IsObject() ? kFrontendSidecar : kMainContainer, containers);
  if (frontend.IsObject()) {
    containers.Append(SidecarToBeta(frontend, arena));
  }
  return containers.Build();
}

Tree SpecToBeta(const Tree& service, Arena& arena) {
  ObjectBuilder spec(arena, arena.Find(service, "extraPodSpec"));
  spec.Erase("mainContainer");
  spec.Erase("containers");
  const Tree containers = Containers(service, arena);
  const bool main_is_empty = containers.at(0).size() == 1;
  if (spec.size() == 0 && containers.size() == 1 && main_is_empty) {
    return Tree();
  }
  spec.Add("containers", containers);
  return spec.Build();
}

// The only container of that name; nothing when there are several.
Tree OnlyNamed(const Tree& containers, std::string_view name, Arena& arena) {
  Tree found;
  for (size_t i = 0; containers.IsArray() && i < containers.size(); ++i) {
    if (IsNamed(containers.at(i), name, arena)) {
      if (found.Exists()) {
        return Tree();
      }
      found = containers.at(i);
    }
  }
  return found;
}

// The first of them: others of that name cannot be said.
Tree FirstMain(const Tree& containers, Arena& arena) {
  for (size_t i = 0; containers.IsArray() && i < containers.size(); ++i) {
    if (IsNamed(containers.at(i), kMainContainer, arena)) {
      return containers.at(i);
    }
  }
  return Tree();
}

Tree Frontend(const Tree& component, const Tree& containers, Arena& arena) {
  return arena.Find(component, "frontendSidecar").text() == kFrontendSidecar
             ? OnlyNamed(containers, kFrontendSidecar, arena)
             : Tree();
}

}  // namespace

Tree PodToBeta(const Tree& service, Arena& arena) {
  ObjectBuilder pod(arena, 2);
  pod.SetIfAny("metadata", Metadata(arena.Find(service, "extraPodMetadata"), arena));
  pod.SetIfAny("spec", SpecToBeta(service, arena));
  return pod.BuildIfAny();
}

void PodToAlpha(const Tree& component, ObjectBuilder& service) {
  Arena& arena = service.arena();
  const Tree pod = arena.Find(component, "podTemplate");
  const Tree containers = arena.Find(arena.Find(pod, "spec"), "containers");
  const Tree frontend = Frontend(component, containers, arena);
  ObjectBuilder extra(arena, arena.Find(pod, "spec"));
  extra.Erase("containers");
  extra.Erase("mainContainer");
  ListBuilder sidecars(arena);
  AppendWithout(containers, kMainContainer, frontend.Exists() ? kFrontendSidecar : kMainContainer,
                sidecars);
  if (sidecars.size() > 0) {
    extra.Add("containers", sidecars.Build());
  }
  if (const Tree main = FirstMain(containers, arena); main.Exists()) {
    extra.SetIfAny("mainContainer", MainToAlpha(main, service));
  }
  service.SetIfAny("extraPodMetadata", Metadata(arena.Find(pod, "metadata"), arena));
  service.SetIfAny("extraPodSpec", extra.BuildIfAny());
  if (frontend.Exists()) {
    service.Set("frontendSidecar", SidecarToAlpha(frontend, arena));
  }
}

}  // namespace hearth::api::conversion::internal
