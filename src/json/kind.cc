#include "json/kind.h"

namespace hearth::json {

std::string_view KindName(Kind kind) {
  switch (kind) {
    case Kind::kAbsent:
      return "absent";
    case Kind::kNull:
      return "null";
    case Kind::kBool:
      return "boolean";
    case Kind::kNumber:
      return "number";
    case Kind::kString:
      return "string";
    case Kind::kArray:
      return "array";
    case Kind::kObject:
      return "object";
  }
  return "absent";
}

}  // namespace hearth::json
