#include "cli/manifest/internal/schema_at.h"

#include "api/core/kube_types.h"

namespace hearth::manifest::internal {
namespace {

using json::Value;
using schema::SchemaPtr;

// Null when there is none. At the root and nowhere else `metadata` is Kubernetes' own.
SchemaPtr Member(const SchemaPtr& node, const std::string& name, bool root) {
  if (root && name == "metadata") {
    return api::core::TypeSchema("meta.v1.ObjectMeta");
  }
  for (const schema::Property& property : node->properties) {
    if (property.name == name) {
      return property.schema;
    }
  }
  return node->additional_properties;
}

}  // namespace

SchemaPlace SchemaAt(const SchemaPtr& root, const Value& object, const json::ResolvedPath& path) {
  SchemaPlace place{.nodes = {root}};
  const Value* value = &object;
  for (const size_t step : path.steps) {
    const SchemaPtr& node = place.nodes.back();
    SchemaPtr next = value->IsArray()
                         ? node->items
                         : Member(node, value->members()[step].first, place.nodes.size() == 1);
    if (next == nullptr) {
      place.complete = false;
      return place;
    }
    place.nodes.push_back(std::move(next));
    value = value->IsArray() ? &value->items()[step] : &value->members()[step].second;
  }
  if (!path.rest.empty()) {
    const std::string name(path.rest.substr(0, path.rest.find_first_of(".[")));
    SchemaPtr next = Member(place.nodes.back(), name, place.nodes.size() == 1);
    place.complete = next != nullptr && name.size() == path.rest.size();
    if (next != nullptr) {
      place.nodes.push_back(std::move(next));
    }
  }
  return place;
}

}  // namespace hearth::manifest::internal
