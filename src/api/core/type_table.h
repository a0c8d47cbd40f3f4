#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schema/schema.h"

namespace hearth::api::core {

// How a strategic merge patch treats a field. Nothing set: a list is replaced, an object merged.
struct PatchStrategy {
  bool merge = false;          // a list, element by element
  std::string_view merge_key;  // empty: the list holds plain values
  bool retain_keys = false;    // objects that are unions: what the patch does not name goes
};

// What Kubernetes says of one field of one of its types.
struct Field {
  enum class Shape { kSingle, kList, kMap };
  std::string_view name;
  Shape shape = Shape::kSingle;
  // Of the value, or of each element: "string", "quantity", "core.v1.EnvVar".
  std::string_view type;
  bool required = false;
  std::string_view default_json;              // empty: none
  std::vector<std::string_view> enumeration;  // newer servers may know more
  schema::ListType list_type = schema::ListType::kNone;
  std::vector<std::string_view> list_map_keys;
  schema::MapType map_type = schema::MapType::kNone;
  PatchStrategy patch;
};

struct KubeType {
  std::string_view name;         // "core.v1.PodSpec"
  std::string_view api_version;  // "apps/v1" for a resource of its own; empty for parts of one
  schema::MapType map_type = schema::MapType::kNone;
  std::vector<Field> fields;  // by name

  const Field* Find(std::string_view field) const;  // null when there is none
};

// The types that kubernetes_types.txt describes. Never changes once parsed; thread-safe.
class TypeTable {
 public:
  // The format is told at the top of kubernetes_types.txt. The table is ours, so a mistake in it is
  // CHECKed. Keeps views into `text`, which must outlive it.
  static TypeTable Parse(std::string_view text);

  const KubeType* Find(std::string_view type) const;  // null when there is none
  // CHECKs that there is one; the message lists names that are near.
  const KubeType& Get(std::string_view type) const;
  const std::vector<KubeType>& types() const { return types_; }  // by name

 private:
  std::string Nearest(std::string_view type) const;

  std::vector<KubeType> types_;
};

// The table that is compiled in.
const TypeTable& KubernetesTypes();

// The field at the end of `path`, member names from `type` on: list elements add nothing, a map's
// key is a name. Null when there is none, and for what is inside free-form values.
//   FieldAt("core.v1.PodSpec", {"containers", "ports"})->patch.merge_key == "containerPort"
// CHECKs that `type` is known.
const Field* FieldAt(std::string_view type, const std::vector<std::string_view>& path);

}  // namespace hearth::api::core
