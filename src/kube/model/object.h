#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/blob.h"
#include "json/value.h"
#include "json/view.h"
#include "kube/model/names.h"

namespace hearth::kube {

struct OwnerReference {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;
  bool controller = false;
  bool block_owner_deletion = false;

  static OwnerReference From(json::View view);
  json::Value ToValue() const;
  friend bool operator==(const OwnerReference&, const OwnerReference&) = default;
};

// What every object carries, read from any view of one. Borrows it.
class Meta {
 public:
  explicit Meta(json::View object) : object_(object), metadata_(object["metadata"]) {}

  std::string name() const { return metadata_["name"].StringOr(""); }
  std::string name_space() const { return metadata_["namespace"].StringOr(""); }
  ObjectKey key() const { return {name_space(), name()}; }
  std::string uid() const { return metadata_["uid"].StringOr(""); }
  std::string resource_version() const { return metadata_["resourceVersion"].StringOr(""); }
  int64_t generation() const { return metadata_["generation"].Int().value_or(0); }
  bool deleting() const { return metadata_["deletionTimestamp"].IsString(); }
  std::string kind() const { return object_["kind"].StringOr(""); }
  std::string api_version() const { return object_["apiVersion"].StringOr(""); }
  json::View labels() const { return metadata_["labels"]; }
  json::View annotations() const { return metadata_["annotations"]; }
  std::optional<std::string> label(std::string_view name) const { return labels()[name].String(); }
  std::optional<std::string> annotation(std::string_view name) const {
    return annotations()[name].String();
  }
  std::vector<std::string> finalizers() const;
  bool HasFinalizer(std::string_view name) const;
  std::vector<OwnerReference> owners() const;
  std::optional<OwnerReference> controller() const;

 private:
  json::View object_;
  json::View metadata_;
};

// An object read from the API, whole and immutable. Copies are pointer copies.
class Object {
 public:
  Object() = default;
  explicit Object(json::Blob blob) : blob_(std::move(blob)) {}

  const json::Blob& blob() const { return blob_; }
  json::View view() const& { return blob_.view(); }
  json::View view() && = delete;
  json::View operator[](std::string_view name) const& { return blob_.view()[name]; }
  json::View operator[](std::string_view name) && = delete;
  Meta meta() const& { return Meta(blob_.view()); }
  Meta meta() && = delete;
  json::Value ToValue() const { return json::Value(blob_.view()); }

 private:
  json::Blob blob_;
};

// {"apiVersion":..,"kind":..,"metadata":{"name":..,"namespace":..}} to fill further.
json::Value NewObject(const ResourceType& type, const ObjectKey& key);

}  // namespace hearth::kube
