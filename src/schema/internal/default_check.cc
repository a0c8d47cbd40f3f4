#include "schema/internal/default_check.h"

#include "schema/internal/embedded.h"
#include "schema/internal/value_walk.h"
#include "schema/prune.h"

namespace hearth::schema::internal {
namespace {

using json::Value;

// Findings are made as if the default were an object; here they get their place in the schema.
void AddAt(const FieldPath& place, std::vector<FieldError> found, ErrorList& errors) {
  for (FieldError& error : found) {
    error.path = place.ToString() + (error.path == "<nil>" ? "" : "." + error.path);
    errors.Add(std::move(error));
  }
}

void CheckDefault(const Node& node, const FieldPath& place, ErrorList& errors) {
  const Value& value = *node.schema.default_value;
  Value pruned = value;
  if (!PruneValue(pruned, node.schema).empty()) {
    errors.Add(Invalid(place, value, "must not have unknown fields"));
  }
  ErrorList found;
  CheckEmbedded(node, value, FieldPath::Root(), found);
  if (found.empty()) {
    ValueWalk().Check(node, value, nullptr, FieldPath::Root(), found);
  }
  AddAt(place, found.Take(), errors);
}

void Visit(const Node& node, const FieldPath& path, ErrorList& errors) {
  if (node.schema.default_value && !node.schema.default_value->IsNull()) {
    CheckDefault(node, path.Child("default"), errors);
  }
  if (node.items != nullptr) {
    Visit(*node.items, path.Child("items"), errors);
  }
  const FieldPath properties = path.Child("properties");
  for (const auto& [name, property] : node.properties) {
    Visit(*property, properties.Key(name), errors);
  }
}

}  // namespace

std::vector<FieldError> CheckDefaults(const Node& root) {
  ErrorList errors;
  Visit(root, FieldPath::Base("openAPIV3Schema"), errors);
  return errors.Take();
}

}  // namespace hearth::schema::internal
