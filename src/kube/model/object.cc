#include "kube/model/object.h"

namespace hearth::kube {

OwnerReference OwnerReference::From(json::View view) {
  OwnerReference owner;
  owner.api_version = view["apiVersion"].StringOr("");
  owner.kind = view["kind"].StringOr("");
  owner.name = view["name"].StringOr("");
  owner.uid = view["uid"].StringOr("");
  owner.controller = view["controller"].Bool().value_or(false);
  owner.block_owner_deletion = view["blockOwnerDeletion"].Bool().value_or(false);
  return owner;
}

json::Value OwnerReference::ToValue() const {
  json::Value value = json::Value::Object(
      {{"apiVersion", api_version}, {"kind", kind}, {"name", name}, {"uid", uid}});
  if (controller) {
    value.Set("controller", true);
  }
  if (block_owner_deletion) {
    value.Set("blockOwnerDeletion", true);
  }
  return value;
}

std::vector<std::string> Meta::finalizers() const {
  std::vector<std::string> names;
  for (const json::View item : metadata_["finalizers"].items()) {
    names.push_back(item.StringOr(""));
  }
  return names;
}

bool Meta::HasFinalizer(std::string_view name) const {
  for (const json::View item : metadata_["finalizers"].items()) {
    if (item.Equals(name)) {
      return true;
    }
  }
  return false;
}

std::vector<OwnerReference> Meta::owners() const {
  std::vector<OwnerReference> owners;
  for (const json::View item : metadata_["ownerReferences"].items()) {
    owners.push_back(OwnerReference::From(item));
  }
  return owners;
}

std::optional<OwnerReference> Meta::controller() const {
  for (const json::View item : metadata_["ownerReferences"].items()) {
    if (item["controller"].Bool().value_or(false)) {
      return OwnerReference::From(item);
    }
  }
  return std::nullopt;
}

json::Value NewObject(const ResourceType& type, const ObjectKey& key) {
  json::Value metadata = json::Value::Object({{"name", key.name}});
  if (!key.name_space.empty()) {
    metadata.Set("namespace", key.name_space);
  }
  return json::Value::Object(
      {{"apiVersion", type.ApiVersion()}, {"kind", type.kind}, {"metadata", std::move(metadata)}});
}

}  // namespace hearth::kube
