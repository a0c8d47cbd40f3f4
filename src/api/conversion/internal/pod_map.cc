#include "api/conversion/internal/pod_map.h"

#include "api/conversion/internal/fields.h"
#include "api/conversion/internal/main_container_map.h"

namespace hearth::api::conversion::internal {
namespace {

bool IsNamed(const Tree& container, std::string_view name) {
  return container.Find("name").text() == name;
}

void CopyMetadata(const Tree& from, Tree& to) {
  SetIfAny(to, "annotations", from.Find("annotations"));
  SetIfAny(to, "labels", from.Find("labels"));
}

Tree Metadata(const Tree& from) {
  Tree metadata = Tree::Object();
  CopyMetadata(from, metadata);
  return metadata;
}

Tree NamedContainer(std::string_view name, const Tree& content) {
  Tree container = Tree::Object();
  container.Set("name", Tree::Text(name));
  for (size_t i = 0; i < content.size(); ++i) {
    container.Add(content.name(i), content.at(i));
  }
  return container;
}

Tree SidecarToBeta(const Tree& sidecar) {
  Tree content = Tree::Object();
  SetIfAny(content, "image", sidecar.Find("image"));
  SetIfAny(content, "args", sidecar.Find("args"));
  SetIfAny(content, "env", sidecar.Find("envs"));
  SetIfAny(content, "envFrom", EnvFromSecret(sidecar.Find("envFromSecret")));
  return NamedContainer(kFrontendSidecar, content);
}

Tree SidecarToAlpha(const Tree& container) {
  Tree sidecar = Tree::Object();
  SetIfAny(sidecar, "image", container.Find("image"));
  SetIfAny(sidecar, "args", container.Find("args"));
  SetIfAny(sidecar, "envs", container.Find("env"));
  SetIfAny(sidecar, "envFromSecret", SecretOf(container.Find("envFrom")));
  return sidecar;
}

// The containers of a list but for those of one name.
Tree Without(const Tree& containers, std::string_view name) {
  Tree others = Tree::Array();
  for (size_t i = 0; containers.IsArray() && i < containers.size(); ++i) {
    if (!IsNamed(containers.at(i), name)) {
      others.Append(containers.at(i));
    }
  }
  return others;
}

// The containers of a service beside main.
Tree SidecarsToBeta(const Tree& service) {
  Tree sidecars = Without(service.Find("extraPodSpec").Find("containers"), kMainContainer);
  if (const Tree frontend = service.Find("frontendSidecar"); frontend.IsObject()) {
    sidecars = Without(sidecars, kFrontendSidecar);
    sidecars.Append(SidecarToBeta(frontend));
  }
  return sidecars;
}

Tree SpecToBeta(const Tree& service) {
  const Tree extra = service.Find("extraPodSpec");
  Tree spec = extra.IsObject() ? extra : Tree::Object();
  spec.Erase("mainContainer");
  spec.Erase("containers");
  const Tree main = MainToBeta(service);
  const Tree sidecars = SidecarsToBeta(service);
  if (spec.size() == 0 && main.size() == 0 && sidecars.size() == 0) {
    return Tree();
  }
  Tree containers = Tree::Array();
  containers.Append(NamedContainer(kMainContainer, main));
  for (size_t i = 0; i < sidecars.size(); ++i) {
    containers.Append(sidecars.at(i));
  }
  spec.Set("containers", containers);
  return spec;
}

Tree FirstNamed(const Tree& containers, std::string_view name) {
  for (size_t i = 0; containers.IsArray() && i < containers.size(); ++i) {
    if (IsNamed(containers.at(i), name)) {
      return containers.at(i);
    }
  }
  return Tree();
}

// Takes out the container that is the frontend of a service; nothing unless there is exactly one.
Tree TakeFrontend(const Tree& component, Tree& sidecars) {
  if (component.Find("frontendSidecar").text() != kFrontendSidecar) {
    return Tree();
  }
  const Tree others = Without(sidecars, kFrontendSidecar);
  if (others.size() + 1 != sidecars.size()) {
    return Tree();
  }
  Tree frontend = SidecarToAlpha(FirstNamed(sidecars, kFrontendSidecar));
  sidecars = others;
  return frontend;
}

Tree ExtraPodSpec(const Tree& component, Tree& service) {
  const Tree spec = component.Find("podTemplate").Find("spec");
  Tree extra = spec.IsObject() ? spec : Tree::Object();
  const Tree main = FirstNamed(extra.Find("containers"), kMainContainer);
  Tree sidecars = Without(extra.Find("containers"), kMainContainer);
  extra.Erase("containers");
  extra.Erase("mainContainer");
  SetIfAny(service, "frontendSidecar", TakeFrontend(component, sidecars));
  if (sidecars.size() > 0) {
    extra.Set("containers", sidecars);
  }
  const Tree rest = main.Exists() ? MainToAlpha(main, service) : Tree();
  if (rest.size() > 0) {
    extra.Set("mainContainer", rest);
  }
  return extra;
}

}  // namespace

Tree PodToBeta(const Tree& service) {
  Tree pod = Tree::Object();
  const Tree metadata = Metadata(service.Find("extraPodMetadata"));
  if (metadata.size() > 0) {
    pod.Set("metadata", metadata);
  }
  SetIfAny(pod, "spec", SpecToBeta(service));
  return pod.size() > 0 ? pod : Tree();
}

void PodToAlpha(const Tree& component, Tree& service) {
  const Tree metadata = Metadata(component.Find("podTemplate").Find("metadata"));
  if (metadata.size() > 0) {
    service.Set("extraPodMetadata", metadata);
  }
  const Tree extra = ExtraPodSpec(component, service);
  if (extra.size() > 0) {
    service.Set("extraPodSpec", extra);
  }
}

}  // namespace hearth::api::conversion::internal
