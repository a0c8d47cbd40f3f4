#include "schema/internal/embedded.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/strings.h"
#include "schema/names.h"
#include "schema/object_meta.h"

namespace hearth::schema::internal {
namespace {

using json::Value;

// There and a string that is not empty; null otherwise.
const std::string* CheckText(const Value& object, std::string_view name, const FieldPath& path,
                             ErrorList& errors) {
  const Value* value = object.Find(name);
  const FieldPath at = path.Child(name);
  if (value == nullptr) {
    errors.Add(Required(at));
  } else if (!value->IsString()) {
    errors.Add(Invalid(at, *value, "must be a string"));
  } else if (value->string().empty()) {
    errors.Add(Invalid(at, *value, "must not be empty"));
  } else {
    return &value->string();
  }
  return nullptr;
}

void CheckKind(const std::string& kind, const FieldPath& path, ErrorList& errors) {
  std::string lower = kind;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto wrong = CheckDns1035Label(lower);
  if (!wrong.empty()) {
    errors.Add(Invalid(path.Child("kind"), kind,
                       "may have mixed case, but should otherwise match: " + Join(wrong, ",")));
  }
}

void CheckResource(const Value& object, const FieldPath& path, ErrorList& errors) {
  if (const std::string* version = CheckText(object, "apiVersion", path, errors)) {
    if (std::count(version->begin(), version->end(), '/') > 1) {
      errors.Add(Invalid(path.Child("apiVersion"), *version,
                         "unexpected GroupVersion string: " + *version));
    }
  }
  if (const std::string* kind = CheckText(object, "kind", path, errors)) {
    CheckKind(*kind, path, errors);
  }
  const Value* metadata = object.Find("metadata");
  if (metadata == nullptr) {
    return;
  }
  const FieldPath at = path.Child("metadata");
  const auto read = CoerceObjectMeta(*metadata, at, nullptr);
  if (!read.ok()) {
    errors.Add(Invalid(at, *metadata, std::string(read.status().message())));
    return;
  }
  for (FieldError& error : ValidateObjectMeta(*read, {.embedded = true}, at)) {
    errors.Add(std::move(error));
  }
}

Status CoerceResource(Value& object, const FieldPath& path, std::vector<std::string>* unknown) {
  for (const char* name : {"apiVersion", "kind"}) {
    const Value* value = object.Find(name);
    if (value != nullptr && !value->IsString()) {
      return InvalidError(Invalid(path.Child(name), *value, "must be a string").ToString());
    }
  }
  Value* metadata = object.Find("metadata");
  if (metadata != nullptr) {
    ASSIGN_OR_RETURN(*metadata, CoerceObjectMeta(*metadata, path.Child("metadata"), unknown));
  }
  return Status::Ok();
}

}  // namespace

void CheckEmbedded(const Node& node, const Value& value, const FieldPath& path, ErrorList& errors) {
  if (!node.has_embedded) {
    return;
  }
  if (value.IsArray() && node.items != nullptr) {
    for (size_t i = 0; i < value.items().size(); ++i) {
      CheckEmbedded(*node.items, value.items()[i], path.Item(i), errors);
    }
  } else if (value.IsObject()) {
    if (node.schema.embedded_resource) {
      CheckResource(value, path, errors);
    }
    for (const auto& [name, member] : value.members()) {
      if (const Node* property = node.Property(name)) {
        CheckEmbedded(*property, member, path.Child(name), errors);
      } else if (node.additional != nullptr) {
        CheckEmbedded(*node.additional, member, path.Key(name), errors);
      }
    }
  }
}

Status CoerceEmbedded(const Schema& schema, Value& value, const FieldPath& path,
                      std::vector<std::string>* unknown) {
  if (value.IsArray() && schema.items != nullptr) {
    for (size_t i = 0; i < value.items().size(); ++i) {
      RETURN_IF_ERROR(CoerceEmbedded(*schema.items, value.items()[i], path.Item(i), unknown));
    }
  } else if (value.IsObject()) {
    if (schema.embedded_resource) {
      RETURN_IF_ERROR(CoerceResource(value, path, unknown));
    }
    for (auto& [name, member] : value.members()) {
      if (const Schema* property = schema.Find(name)) {
        RETURN_IF_ERROR(CoerceEmbedded(*property, member, path.Child(name), unknown));
      } else if (schema.additional_properties != nullptr) {
        RETURN_IF_ERROR(
            CoerceEmbedded(*schema.additional_properties, member, path.Key(name), unknown));
      }
    }
  }
  return Status::Ok();
}

}  // namespace hearth::schema::internal
