#include "api/core/internal/plain_schemas.h"

#include <limits>
#include <map>

namespace hearth::api::core::internal {
namespace {

using schema::Schema;
using schema::SchemaPtr;
using schema::Type;

// As controller-gen writes it; a server that compares patterns must find the same text.
constexpr const char* kQuantityPattern =
    R"(^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$)";

SchemaPtr Scalar(Type type, const char* format = "") {
  Schema node;
  node.type = type;
  node.format = format;
  return std::make_shared<const Schema>(std::move(node));
}

// Servers take no notice of the format: an object that nobody can read afterwards would be stored.
void BoundToInt32(Schema& node) {
  node.minimum = std::numeric_limits<int32_t>::min();
  node.maximum = std::numeric_limits<int32_t>::max();
}

SchemaPtr Int32() {
  Schema node;
  node.type = Type::kInteger;
  node.format = "int32";
  BoundToInt32(node);
  return std::make_shared<const Schema>(std::move(node));
}

Schema IntegerOrString(const char* name) {
  Schema node;
  node.kube_type = name;
  node.int_or_string = true;
  node.any_of = {Scalar(Type::kInteger), Scalar(Type::kString)};
  return node;
}

SchemaPtr Quantity() {
  Schema node = IntegerOrString("quantity");
  node.pattern = kQuantityPattern;
  return std::make_shared<const Schema>(std::move(node));
}

SchemaPtr IntOrString() {
  Schema node = IntegerOrString("intOrString");
  BoundToInt32(node);
  return std::make_shared<const Schema>(std::move(node));
}

SchemaPtr FreeForm() {
  Schema node;
  node.type = Type::kObject;
  node.preserve_unknown_fields = true;
  return std::make_shared<const Schema>(std::move(node));
}

}  // namespace

SchemaPtr PlainSchema(std::string_view type) {
  static const std::map<std::string_view, SchemaPtr> kSchemas = {
      {"string", Scalar(Type::kString)},
      {"bytes", Scalar(Type::kString, "byte")},
      {"int32", Int32()},
      {"int64", Scalar(Type::kInteger, "int64")},
      {"number", Scalar(Type::kNumber)},
      {"boolean", Scalar(Type::kBoolean)},
      {"quantity", Quantity()},
      {"intOrString", IntOrString()},
      {"time", Scalar(Type::kString, "date-time")},
      {"microTime", Scalar(Type::kString, "date-time")},
      {"duration", Scalar(Type::kString)},
      {"freeForm", FreeForm()},
  };
  const auto found = kSchemas.find(type);
  return found == kSchemas.end() ? nullptr : found->second;
}

}  // namespace hearth::api::core::internal
