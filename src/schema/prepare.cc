#include "schema/prepare.h"

#include "schema/defaults.h"
#include "schema/internal/embedded.h"
#include "schema/object_meta.h"
#include "schema/prune.h"

namespace hearth::schema {

Result<std::vector<std::string>> Prepare(json::Value& object, const Schema& schema, size_t* more) {
  if (!object.IsObject()) {
    return InvalidError("the object is no object");
  }
  for (const char* name : {"apiVersion", "kind"}) {
    const json::Value* value = object.Find(name);
    if (value != nullptr && !value->IsString()) {
      return InvalidError(std::string(name) + " must be a string");
    }
  }
  std::vector<std::string> unknown;
  json::Value* metadata = object.Find("metadata");
  if (metadata != nullptr) {
    ASSIGN_OR_RETURN(*metadata, CoerceObjectMeta(*metadata, FieldPath::Base("metadata"), &unknown));
  }
  for (std::string& path : Prune(object, schema, more)) {
    unknown.push_back(std::move(path));
  }
  PruneNulls(object, schema);
  RETURN_IF_ERROR(internal::CoerceEmbedded(schema, object, FieldPath::Root(), &unknown));
  ApplyDefaults(object, schema);
  return unknown;
}

}  // namespace hearth::schema
