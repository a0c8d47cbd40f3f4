#include "api/conversion/internal/object_map.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "api/conversion/internal/component_map.h"
#include "api/conversion/internal/fields.h"

namespace hearth::api::conversion::internal {
namespace {

Tree ServicesToBeta(const Tree& services) {
  if (!services.IsObject()) {
    return Tree();
  }
  std::vector<size_t> order;
  for (size_t i = 0; i < services.size(); ++i) {
    if (services.at(i).IsObject()) {
      order.push_back(i);
    }
  }
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return services.name(a) < services.name(b); });
  Tree components = Tree::Array();
  for (const size_t i : order) {
    components.Append(ComponentToBeta(services.at(i), Tree::Text(services.name(i))));
  }
  return components;
}

Tree ComponentsToAlpha(const Tree& components) {
  if (!components.IsArray()) {
    return Tree();
  }
  Tree services = Tree::Object();
  for (size_t i = 0; i < components.size(); ++i) {
    const Tree component = components.at(i);
    if (component.Find("name").IsString()) {
      services.Add(component.Find("name").text(), ComponentToAlpha(component));
    }
  }
  return services;
}

template <typename Map>
Tree MappedValues(const Tree& object, Map map) {
  if (!object.IsObject()) {
    return Tree();
  }
  Tree mapped = Tree::Object();
  for (size_t i = 0; i < object.size(); ++i) {
    if (const Tree value = map(object.at(i)); value.Exists()) {
      mapped.Add(object.name(i), value);
    }
  }
  return mapped;
}

}  // namespace

Tree GraphSpecToBeta(const Tree& spec) {
  Tree mapped = Tree::Object();
  CopyToBeta(GraphSpecFields(), spec, mapped);
  SetIfAny(mapped, "components", ServicesToBeta(spec.Find("services")));
  SetIfAny(mapped, "topologyConstraint",
           Renamed(spec.Find("topologyConstraint"), "topologyProfile", "clusterTopologyName"));
  return mapped;
}

Tree GraphSpecToAlpha(const Tree& spec) {
  Tree mapped = Tree::Object();
  CopyToAlpha(GraphSpecFields(), spec, mapped);
  SetIfAny(mapped, "services", ComponentsToAlpha(spec.Find("components")));
  SetIfAny(mapped, "topologyConstraint",
           Renamed(spec.Find("topologyConstraint"), "clusterTopologyName", "topologyProfile"));
  return mapped;
}

Tree GraphStatusToBeta(const Tree& status) {
  Tree mapped = Tree::Object();
  CopyToBeta(GraphStatusFields(), status, mapped);
  SetIfAny(mapped, "components", MappedValues(status.Find("services"), ReplicaStatusToBeta));
  SetIfAny(mapped, "rollingUpdate",
           Renamed(status.Find("rollingUpdate"), "updatedServices", "updatedComponents"));
  return mapped;
}

Tree GraphStatusToAlpha(const Tree& status) {
  Tree mapped = Tree::Object();
  CopyToAlpha(GraphStatusFields(), status, mapped);
  SetIfAny(mapped, "services", MappedValues(status.Find("components"), ReplicaStatusToAlpha));
  SetIfAny(mapped, "rollingUpdate",
           Renamed(status.Find("rollingUpdate"), "updatedComponents", "updatedServices"));
  return mapped;
}

Tree ComponentDeploymentSpecToBeta(const Tree& spec, const Tree& object_name) {
  const Tree own = spec.Find("serviceName");
  return ComponentToBeta(spec, own.text().empty() ? object_name : own);
}

Tree ComponentDeploymentSpecToAlpha(const Tree& spec, const Tree& object_name) {
  Tree mapped = ComponentToAlpha(spec);
  const Tree own = spec.Find("name");
  SetIfAny(mapped, "serviceName", own.text().empty() ? object_name : own);
  return mapped;
}

Tree ComponentDeploymentStatusToBeta(const Tree& status) {
  Tree mapped = Tree::Object();
  CopyToBeta(ComponentDeploymentStatusFields(), status, mapped);
  SetIfAny(mapped, "component", ReplicaStatusToBeta(status.Find("service")));
  return mapped;
}

Tree ComponentDeploymentStatusToAlpha(const Tree& status) {
  Tree mapped = Tree::Object();
  CopyToAlpha(ComponentDeploymentStatusFields(), status, mapped);
  SetIfAny(mapped, "service", ReplicaStatusToAlpha(status.Find("component")));
  return mapped;
}

Status CheckComponentNames(const Tree& spec) {
  const Tree components = spec.Find("components");
  std::unordered_map<std::string, size_t> places;
  for (size_t i = 0; components.IsArray() && i < components.size(); ++i) {
    const std::string here = "spec.components[" + std::to_string(i) + "]";
    const Tree name = components.at(i).Find("name");
    if (!name.IsString()) {
      return InvalidError(here + ".name: must be a string; v1alpha1 keys services by it");
    }
    const auto [place, fresh] = places.emplace(name.text(), i);
    if (!fresh) {
      return InvalidError("spec.components[" + std::to_string(place->second) + "] and " + here +
                          " are both named \"" + std::string(name.text()) +
                          "\", and v1alpha1 keys services by name: rename one of them");
    }
  }
  return Status::Ok();
}

}  // namespace hearth::api::conversion::internal
