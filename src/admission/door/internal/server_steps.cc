#include "admission/door/internal/server_steps.h"

#include "schema/object_meta.h"

namespace hearth::admission::internal {
namespace {

using json::Value;

constexpr size_t kMostGeneratedPrefix = 58;
constexpr const char* kRandomPart = "xxxxx";

const Value& MetadataOf(const Value& object) {
  static const Value kNone = Value::Object();
  const Value* metadata = object.Find("metadata");
  return metadata == nullptr ? kNone : *metadata;
}

bool Has(const Value& object, std::string_view name) {
  const Value* value = object.Find(name);
  return value != nullptr && !value->IsNull();
}

}  // namespace

void GenerateName(Value& object) {
  const Value& metadata = MetadataOf(object);
  const Value* prefix = metadata.Find("generateName");
  if (prefix != nullptr && !Has(metadata, "name")) {
    std::string name = prefix->StringOr("").substr(0, kMostGeneratedPrefix) + kRandomPart;
    object["metadata"].Set("name", std::move(name));
  }
}

void DropServerMetadata(Value& object) {
  Value* metadata = object.Find("metadata");
  if (metadata == nullptr || !metadata->IsObject()) {
    return;
  }
  metadata->Erase("managedFields");
  metadata->Erase("generation");
}

void KeepServerMetadata(Value& object, const Value& old) {
  const Value& before = MetadataOf(old);
  for (const char* name : {"uid", "resourceVersion", "generation", "creationTimestamp",
                           "deletionTimestamp", "deletionGracePeriodSeconds"}) {
    if (Has(before, name) && !Has(MetadataOf(object), name)) {
      object["metadata"].Set(name, *before.Find(name));
    }
  }
}

void KeepStatus(Value& object, const Value* old, const schema::ResourceVersion& version) {
  if (!version.status_subresource) {
    return;
  }
  const Value* status = old == nullptr ? nullptr : old->Find("status");
  if (status == nullptr) {
    object.Erase("status");
  } else {
    object.Set("status", *status);
  }
}

std::vector<schema::FieldError> CheckMetadata(const Value& object, const Value* old,
                                              bool namespaced) {
  if (old == nullptr) {
    return schema::ValidateObjectMeta(MetadataOf(object), {.namespaced = namespaced});
  }
  if (Has(MetadataOf(*old), "resourceVersion")) {
    return schema::ValidateObjectMetaUpdate(MetadataOf(object), MetadataOf(*old));
  }
  // `old` comes from a file and was never stored; the request cannot name its version.
  Value metadata = MetadataOf(object);
  metadata.Set("resourceVersion", "1");
  return schema::ValidateObjectMetaUpdate(metadata, MetadataOf(*old));
}

}  // namespace hearth::admission::internal
