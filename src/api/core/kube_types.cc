#include "api/core/kube_types.h"

#include <array>
#include <map>

#include "api/core/internal/plain_schemas.h"
#include "api/core/type_table.h"
#include "base/check.h"
#include "base/guarded.h"
#include "json/parse.h"

namespace hearth::api::core {
namespace {

using schema::MapType;
using schema::Schema;
using schema::SchemaPtr;

constexpr std::string_view kObjectMeta = "meta.v1.ObjectMeta";
constexpr std::array<std::string_view, 5> kEmbeddedMetadata = {"annotations", "finalizers",
                                                               "labels", "name", "namespace"};

SchemaPtr Share(Schema node) { return std::make_shared<const Schema>(std::move(node)); }

SchemaPtr PlainObject() {
  Schema node;
  node.type = schema::Type::kObject;
  return Share(std::move(node));
}

// Each type once; whoever refers to it shares the node.
class Builder {
 public:
  SchemaPtr Type(std::string_view name) {
    const KubeType& type = KubernetesTypes().Get(name);
    const auto [place, fresh] = built_.try_emplace(type.name);
    if (fresh) {
      place->second = ObjectNode(type);
    }
    CHECK(place->second != nullptr) << name << " contains itself";
    return place->second;
  }

  SchemaPtr Metadata() {
    if (metadata_ == nullptr) {
      Schema node;
      node.type = schema::Type::kObject;
      node.kube_type = kObjectMeta;
      for (const std::string_view name : kEmbeddedMetadata) {
        const Field* field = KubernetesTypes().Get(kObjectMeta).Find(name);
        CHECK(field != nullptr) << name;
        node.properties.push_back({std::string(name), FieldNode(*field)});
      }
      metadata_ = Share(std::move(node));
    }
    return metadata_;
  }

 private:
  SchemaPtr ObjectNode(const KubeType& type) {
    Schema node;
    node.type = schema::Type::kObject;
    node.kube_type = type.name;
    node.map_type = type.map_type;
    for (const Field& field : type.fields) {
      const bool own_metadata = !type.api_version.empty() && field.type == kObjectMeta;
      node.properties.push_back(
          {std::string(field.name), own_metadata ? PlainObject() : FieldNode(field)});
      if (field.required) {
        node.required.emplace_back(field.name);
      }
    }
    return Share(std::move(node));
  }

  SchemaPtr FieldNode(const Field& field) {
    SchemaPtr element = ElementNode(field.type);
    Schema node;
    switch (field.shape) {
      case Field::Shape::kSingle:
        if (field.default_json.empty() && field.map_type == MapType::kNone) {
          return element;
        }
        node = *element;
        break;
      case Field::Shape::kList:
        node.type = schema::Type::kArray;
        node.items = std::move(element);
        node.list_type = field.list_type;
        node.list_map_keys.assign(field.list_map_keys.begin(), field.list_map_keys.end());
        break;
      case Field::Shape::kMap:
        node.type = schema::Type::kObject;
        node.additional_properties = std::move(element);
        break;
    }
    if (field.map_type != MapType::kNone) {
      node.map_type = field.map_type;
    }
    if (!field.default_json.empty()) {
      auto value = json::ParseValue(field.default_json);
      CHECK(value.ok()) << field.name << ": " << value.status();
      node.default_value = *std::move(value);
    }
    return Share(std::move(node));
  }

  SchemaPtr ElementNode(std::string_view type) {
    if (SchemaPtr plain = internal::PlainSchema(type)) {
      return plain;
    }
    return type == kObjectMeta ? Metadata() : Type(type);
  }

  std::map<std::string_view, SchemaPtr> built_;  // null: under way
  SchemaPtr metadata_;
};

Guarded<Builder>& SharedBuilder() {
  static Guarded<Builder> builder;
  return builder;
}

}  // namespace

SchemaPtr TypeSchema(std::string_view type) {
  SchemaPtr plain = internal::PlainSchema(type);
  return plain != nullptr ? plain : SharedBuilder().Lock()->Type(type);
}

SchemaPtr EmbeddedMetadata() { return SharedBuilder().Lock()->Metadata(); }

}  // namespace hearth::api::core
