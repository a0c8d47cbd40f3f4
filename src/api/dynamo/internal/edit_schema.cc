#include "api/dynamo/internal/edit_schema.h"

#include <algorithm>

#include "base/check.h"

namespace hearth::api::dynamo::internal {
namespace {

using schema::Schema;
using schema::SchemaPtr;

SchemaPtr Edit(Schema schema, std::string_view path, const std::function<void(Schema&)>& change) {
  if (path.empty()) {
    change(schema);
    return std::make_shared<const Schema>(std::move(schema));
  }
  const size_t dot = std::min(path.find('.'), path.size());
  const std::string_view step = path.substr(0, dot);
  const std::string_view rest = path.substr(std::min(dot + 1, path.size()));
  if (step == "[]") {
    CHECK(schema.items != nullptr) << "not a list before " << path;
    schema.items = Edit(*schema.items, rest, change);
  } else {
    const auto place = std::find_if(schema.properties.begin(), schema.properties.end(),
                                    [&](const auto& property) { return property.name == step; });
    CHECK(place != schema.properties.end()) << "no property " << step;
    place->schema = Edit(*place->schema, rest, change);
  }
  return std::make_shared<const Schema>(std::move(schema));
}

}  // namespace

Node EditedAt(const Node& node, std::string_view path,
              const std::function<void(schema::Schema&)>& change) {
  return Node(Edit(node.schema(), path, change));
}

}  // namespace hearth::api::dynamo::internal
