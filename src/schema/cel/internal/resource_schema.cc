#include "schema/cel/internal/resource_schema.h"

namespace hearth::schema::internal {
namespace {

SchemaPtr Make() {
  const auto text = std::make_shared<const Schema>(Schema{.type = Type::kString});
  auto metadata = std::make_shared<Schema>(Schema{.type = Type::kObject});
  metadata->properties = {{"name", text}, {"generateName", text}};
  auto resource = std::make_shared<Schema>(Schema{.type = Type::kObject});
  resource->properties = {{"apiVersion", text}, {"kind", text}, {"metadata", metadata}};
  return resource;
}

}  // namespace

const Schema* ResourceProperty(std::string_view property) {
  static const SchemaPtr resource = Make();
  return resource->Find(property);
}

}  // namespace hearth::schema::internal
