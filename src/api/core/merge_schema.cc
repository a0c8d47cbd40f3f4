#include "api/core/merge_schema.h"

#include <map>
#include <unordered_map>

#include "api/core/type_table.h"

namespace hearth::api::core {
namespace {

using Lists = std::unordered_map<const Field*, json::MergeSchema::List>;

// The answers for all fields, since they are handed out by address.
const Lists& MergedLists() {
  static const Lists kLists = [] {
    Lists lists;
    for (const KubeType& type : KubernetesTypes().types()) {
      for (const Field& field : type.fields) {
        if (field.patch.merge) {
          lists[&field] = {std::string(field.patch.merge_key), field.patch.retain_keys};
        }
      }
    }
    return lists;
  }();
  return kLists;
}

class TypeMergeSchema final : public json::MergeSchema {
 public:
  explicit TypeMergeSchema(std::string_view type) : type_(type) {}

  const List* ListAt(const std::vector<std::string_view>& path) const override {
    const auto found = MergedLists().find(FieldAt(type_, path));
    return found == MergedLists().end() ? nullptr : &found->second;
  }

  bool RetainKeysAt(const std::vector<std::string_view>& path) const override {
    const Field* field = FieldAt(type_, path);
    return field != nullptr && field->patch.retain_keys;
  }

 private:
  std::string_view type_;  // of the table
};

}  // namespace

const json::MergeSchema& MergeSchemaOf(std::string_view type) {
  static const std::map<std::string_view, TypeMergeSchema> kSchemas = [] {
    std::map<std::string_view, TypeMergeSchema> schemas;
    for (const KubeType& known : KubernetesTypes().types()) {
      schemas.emplace(known.name, TypeMergeSchema(known.name));
    }
    return schemas;
  }();
  return kSchemas.at(KubernetesTypes().Get(type).name);
}

}  // namespace hearth::api::core
