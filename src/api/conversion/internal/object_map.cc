#include "api/conversion/internal/object_map.h"

#include <algorithm>
#include <vector>

#include "api/conversion/convert.h"
#include "api/conversion/internal/component_map.h"
#include "api/conversion/internal/fields.h"
#include "base/seeded_hash.h"

namespace hearth::api::conversion::internal {
namespace {

Tree NamedComponent(std::string_view name, const Tree& service, Arena& arena) {
  Tree& component = arena.MadeOf(service);
  if (!component.Exists() || arena.Find(component, "name").text() != name) {
    component = ComponentToBeta(service, arena.Text(name), arena);
  }
  return component;
}

Tree Service(const Tree& component, Arena& arena) {
  Tree& service = arena.MadeOf(component);
  if (!service.Exists()) {
    ObjectBuilder builder(arena, 24);
    ComponentToAlpha(component, builder);
    service = builder.Build();
  }
  return service;
}

Tree ServicesToBeta(const Tree& services, Arena& arena) {
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
  ListBuilder components(arena, order.size() + 1);
  for (const size_t i : order) {
    components.Append(NamedComponent(services.name(i), services.at(i), arena));
  }
  return components.Build();
}

Tree ComponentsToAlpha(const Tree& components, Arena& arena) {
  if (!components.IsArray()) {
    return Tree();
  }
  ObjectBuilder services(arena);
  for (size_t i = 0; i < components.size(); ++i) {
    const Tree component = components.at(i);
    if (const Tree name = arena.Find(component, "name"); name.IsString()) {
      services.Add(name.text(), Service(component, arena));
    }
  }
  return services.Build();
}

template <typename Map>
Tree MappedValues(const Tree& object, Map map, Arena& arena) {
  if (!object.IsObject()) {
    return Tree();
  }
  ObjectBuilder mapped(arena, object.size() + 1);
  for (size_t i = 0; i < object.size(); ++i) {
    if (const Tree value = map(object.at(i), arena); value.Exists()) {
      mapped.Add(object.name(i), value);
    }
  }
  return mapped.Build();
}

// A component that stands alone and says nothing else is called like its object.
Tree NameOr(const Tree& own, const Tree& object_name) {
  return own.text().empty() ? object_name : own;
}

}  // namespace

Tree GraphSpecToBeta(const Tree& spec, Arena& arena) {
  ObjectBuilder mapped(arena, 16);
  CopyToBeta(GraphSpecFields(), spec, mapped);
  mapped.SetIfAny("components", ServicesToBeta(arena.Find(spec, "services"), arena));
  mapped.SetIfAny("topologyConstraint", Renamed(arena.Find(spec, "topologyConstraint"),
                                                "topologyProfile", "clusterTopologyName", arena));
  return mapped.Build();
}

Tree GraphSpecToAlpha(const Tree& spec, Arena& arena) {
  ObjectBuilder mapped(arena, 16);
  CopyToAlpha(GraphSpecFields(), spec, mapped);
  mapped.SetIfAny("services", ComponentsToAlpha(arena.Find(spec, "components"), arena));
  mapped.SetIfAny("topologyConstraint", Renamed(arena.Find(spec, "topologyConstraint"),
                                                "clusterTopologyName", "topologyProfile", arena));
  return mapped.Build();
}

Tree GraphStatusToBeta(const Tree& status, Arena& arena) {
  ObjectBuilder mapped(arena);
  CopyToBeta(GraphStatusFields(), status, mapped);
  mapped.SetIfAny("components",
                  MappedValues(arena.Find(status, "services"), ReplicaStatusToBeta, arena));
  mapped.SetIfAny("rollingUpdate", Renamed(arena.Find(status, "rollingUpdate"), "updatedServices",
                                           "updatedComponents", arena));
  return mapped.Build();
}

Tree GraphStatusToAlpha(const Tree& status, Arena& arena) {
  ObjectBuilder mapped(arena);
  CopyToAlpha(GraphStatusFields(), status, mapped);
  mapped.SetIfAny("services",
                  MappedValues(arena.Find(status, "components"), ReplicaStatusToAlpha, arena));
  mapped.SetIfAny("rollingUpdate", Renamed(arena.Find(status, "rollingUpdate"), "updatedComponents",
                                           "updatedServices", arena));
  return mapped.Build();
}

Tree ComponentDeploymentSpecToBeta(const Tree& spec, const Tree& object_name, Arena& arena) {
  return ComponentToBeta(spec, NameOr(arena.Find(spec, "serviceName"), object_name), arena);
}

Tree ComponentDeploymentSpecToAlpha(const Tree& spec, const Tree& object_name, Arena& arena) {
  ObjectBuilder service(arena, 24);
  service.SetIfAny("serviceName", NameOr(arena.Find(spec, "name"), object_name));
  ComponentToAlpha(spec, service);
  return service.Build();
}

Tree ComponentDeploymentStatusToBeta(const Tree& status, Arena& arena) {
  ObjectBuilder mapped(arena);
  CopyToBeta(ComponentDeploymentStatusFields(), status, mapped);
  mapped.SetIfAny("component", ReplicaStatusToBeta(arena.Find(status, "service"), arena));
  return mapped.Build();
}

Tree ComponentDeploymentStatusToAlpha(const Tree& status, Arena& arena) {
  ObjectBuilder mapped(arena);
  CopyToAlpha(ComponentDeploymentStatusFields(), status, mapped);
  mapped.SetIfAny("service", ReplicaStatusToAlpha(arena.Find(status, "component"), arena));
  return mapped.Build();
}

Status CheckComponentNames(const Tree& spec) {
  const Tree components = spec.Find("components");
  SeededMap<std::string, size_t> places;
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
                          "\", and v1alpha1 keys services by name: rename one of them")
          .WithReason(kNamesClashReason);
    }
  }
  return Status::Ok();
}

}  // namespace hearth::api::conversion::internal
