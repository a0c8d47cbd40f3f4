#include "schema/type_name.h"

namespace hearth::schema {

std::string_view TypeName(Type type) {
  switch (type) {
    case Type::kNone:
      return "";
    case Type::kObject:
      return "object";
    case Type::kArray:
      return "array";
    case Type::kString:
      return "string";
    case Type::kInteger:
      return "integer";
    case Type::kNumber:
      return "number";
    case Type::kBoolean:
      return "boolean";
  }
  return "";
}

}  // namespace hearth::schema
