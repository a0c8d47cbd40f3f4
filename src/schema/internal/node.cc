#include "schema/internal/node.h"

#include <algorithm>

#include "schema/internal/number.h"

namespace hearth::schema::internal {
namespace {

std::optional<double> Bound(const std::optional<json::Value>& value) {
  return value ? std::optional(ReadNumber(value->number()).real) : std::nullopt;
}

std::unique_ptr<Node> Make(const SchemaPtr& schema) {
  return schema == nullptr ? nullptr : std::make_unique<Node>(*schema);
}

std::vector<std::unique_ptr<Node>> MakeAll(const std::vector<SchemaPtr>& schemas) {
  std::vector<std::unique_ptr<Node>> nodes;
  nodes.reserve(schemas.size());
  for (const SchemaPtr& schema : schemas) {
    nodes.push_back(Make(schema));
  }
  return nodes;
}

void Inherit(Node& node, const std::unique_ptr<Node>& child) {
  if (child != nullptr) {
    node.has_rules |= child->has_rules;
    node.has_keyed_lists |= child->has_keyed_lists;
    node.has_embedded |= child->has_embedded;
  }
}

}  // namespace

Node::Node(const Schema& from)
    : schema(from),
      format(from.format.empty() ? nullptr : FindFormat(from.format)),
      minimum(Bound(from.minimum)),
      maximum(Bound(from.maximum)),
      multiple_of(Bound(from.multiple_of)),
      items(Make(from.items)),
      additional(Make(from.additional_properties)),
      all_of(MakeAll(from.all_of)),
      any_of(MakeAll(from.any_of)),
      one_of(MakeAll(from.one_of)),
      negation(Make(from.negation)),
      has_rules(!from.rules.empty()),
      has_keyed_lists(from.list_type == ListType::kSet || from.list_type == ListType::kMap),
      has_embedded(from.embedded_resource) {
  if (!from.pattern.empty()) {
    pattern = std::make_unique<Pattern>(from.pattern);
  }
  for (const schema::Property& property : from.properties) {
    properties.emplace_back(property.name, Make(property.schema));
    Inherit(*this, properties.back().second);
  }
  std::sort(properties.begin(), properties.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  Inherit(*this, items);
  Inherit(*this, additional);
}

const Node* Node::Property(std::string_view name) const {
  const auto found =
      std::lower_bound(properties.begin(), properties.end(), name,
                       [](const auto& property, std::string_view n) { return property.first < n; });
  return found == properties.end() || found->first != name ? nullptr : found->second.get();
}

}  // namespace hearth::schema::internal
