#include "schema/scale.h"

#include <fmt/format.h>

#include <limits>

#include "base/strings.h"
#include "schema/internal/go_json.h"

namespace hearth::schema {
namespace {

using json::Kind;
using json::Value;

std::string_view GoType(const Value& value) {
  switch (value.kind()) {
    case Kind::kString:
      return "string";
    case Kind::kBool:
      return "bool";
    case Kind::kNumber:
      return value.Int() ? "int64" : "float64";
    case Kind::kArray:
      return "[]interface {}";
    case Kind::kObject:
      return "map[string]interface {}";
    default:
      return "<nil>";
  }
}

std::string Unexpected(std::string_view path, const Value& value, std::string_view wanted) {
  return fmt::format("{} accessor error: {} is of the type {}, expected {}", path,
                     internal::GoPrint(value), GoType(value), wanted);
}

// The value at ".spec.replicas"; null when it is not there. `wrong` says why the way there is none.
const Value* FindAt(const Value& object, std::string_view path, std::string* wrong) {
  const Value* value = &object;
  std::string walked;
  const std::string_view plain = path.starts_with('.') ? path.substr(1) : path;
  for (const std::string_view name : Split(plain, '.')) {
    if (value->IsNull()) {
      return nullptr;
    }
    walked.append(".").append(name);
    if (!value->IsObject()) {
      *wrong = Unexpected(walked, *value, "map[string]interface{}");
      return nullptr;
    }
    value = value->Find(name);
    if (value == nullptr) {
      return nullptr;
    }
  }
  return value;
}

void CheckReplicas(const Value& object, const std::string& path, std::vector<FieldError>& errors) {
  const FieldPath at = FieldPath::Base(path);
  std::string wrong;
  const Value* value = FindAt(object, path, &wrong);
  if (value != nullptr && !value->Int()) {
    wrong = Unexpected(path, *value, "int64");
  }
  const int64_t replicas = value == nullptr ? 0 : value->Int().value_or(0);
  if (!wrong.empty()) {
    errors.push_back(Invalid(at, 0, wrong));
  } else if (replicas < 0) {
    errors.push_back(Invalid(at, replicas, "should be a non-negative integer"));
  } else if (replicas > std::numeric_limits<int32_t>::max()) {
    errors.push_back(Invalid(at, replicas, "should be less than or equal to 2147483647"));
  }
}

}  // namespace

std::vector<FieldError> ValidateScaleSpec(const Value& object, const ScaleSubresource& scale) {
  std::vector<FieldError> errors;
  CheckReplicas(object, scale.spec_path, errors);
  return errors;
}

std::vector<FieldError> ValidateScaleStatus(const Value& object, const ScaleSubresource& scale) {
  std::vector<FieldError> errors;
  CheckReplicas(object, scale.status_path, errors);
  if (scale.selector_path.empty()) {
    return errors;
  }
  std::string wrong;
  const Value* selector = FindAt(object, scale.selector_path, &wrong);
  if (selector != nullptr && !selector->IsString()) {
    wrong = Unexpected(scale.selector_path, *selector, "string");
  }
  if (!wrong.empty()) {
    errors.push_back(Invalid(FieldPath::Base(scale.selector_path), "", wrong));
  }
  return errors;
}

}  // namespace hearth::schema
