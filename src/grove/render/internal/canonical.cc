#include "grove/render/internal/canonical.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "api/core/type_table.h"
#include "json/quantity.h"

namespace hearth::grove::internal {
namespace {

using api::core::Field;
using api::core::KubeType;
using json::Value;

enum class Extent { kQuantities, kAll };

void CanonicalizeQuantity(Value& value) {
  const std::string text = value.IsString()                      ? value.string()
                           : value.kind() == json::Kind::kNumber ? value.number()
                                                                 : "";
  if (const auto quantity = json::Quantity::Parse(text); quantity.ok()) {
    value = quantity->ToString();
  }
}

// Whether the order of the elements says something, although the list is keyed.
bool IsOrdered(const Field& field, const Value& list) {
  if (field.name == "initContainers") {
    return true;  // they run one after the other
  }
  if (field.type != "core.v1.EnvVar") {
    return false;
  }
  // $(NAME) is replaced only when NAME stands before it.
  return std::any_of(list.items().begin(), list.items().end(), [](const Value& variable) {
    const Value* const value = variable.Find("value");
    return value != nullptr && value->StringOr("").find("$(") != std::string::npos;
  });
}

std::string KeyOf(const Field& field, const Value& item) {
  std::string key;
  for (const std::string_view name : field.list_map_keys) {
    const Value* const member = item.Find(name);
    key += (member == nullptr ? "null" : member->Write()) + '\n';
  }
  return key;
}

void Sort(const Field& field, Value& list) {
  std::vector<std::pair<std::string, Value>> keyed;
  for (Value& item : list.items()) {
    std::string key =
        field.list_type == schema::ListType::kMap ? KeyOf(field, item) : item.WriteCanonical();
    keyed.emplace_back(std::move(key), std::move(item));
  }
  std::stable_sort(keyed.begin(), keyed.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (size_t k = 0; k < keyed.size(); ++k) {
    list.items()[k] = std::move(keyed[k].second);
  }
}

void Walk(const KubeType& type, Extent extent, Value& value);

void WalkElement(const Field& field, Extent extent, Value& element) {
  if (field.type == "quantity") {
    CanonicalizeQuantity(element);
  } else if (const KubeType* const type = api::core::KubernetesTypes().Find(field.type)) {
    Walk(*type, extent, element);
  }
}

void WalkField(const Field& field, Extent extent, Value& value) {
  if (field.shape == Field::Shape::kList && value.IsArray()) {
    for (Value& item : value.items()) {
      WalkElement(field, extent, item);
    }
    const bool keyed =
        field.list_type == schema::ListType::kMap || field.list_type == schema::ListType::kSet;
    if (extent == Extent::kAll && keyed && !IsOrdered(field, value)) {
      Sort(field, value);
    }
  } else if (field.shape == Field::Shape::kMap && value.IsObject()) {
    for (auto& [name, element] : value.members()) {
      WalkElement(field, extent, element);
    }
  } else if (field.shape == Field::Shape::kSingle) {
    WalkElement(field, extent, value);
  }
}

bool SaysNothing(const Field* field, const Value& value) {
  if (value.IsNull()) {
    return true;
  }
  if (field == nullptr) {
    return false;
  }
  return (value.IsArray() && value.items().empty()) ||
         (field->shape == Field::Shape::kMap && value.IsObject() && value.members().empty());
}

void Walk(const KubeType& type, Extent extent, Value& value) {
  if (!value.IsObject()) {
    return;
  }
  for (auto& [name, member] : value.members()) {
    if (const Field* const field = type.Find(name)) {
      WalkField(*field, extent, member);
    }
  }
  if (extent == Extent::kAll) {
    std::erase_if(value.members(), [&](const Value::Member& member) {
      return SaysNothing(type.Find(member.first), member.second);
    });
  }
}

}  // namespace

void CanonicalizeQuantities(std::string_view type, Value& value) {
  Walk(api::core::KubernetesTypes().Get(type), Extent::kQuantities, value);
}

void Canonicalize(std::string_view type, Value& value) {
  Walk(api::core::KubernetesTypes().Get(type), Extent::kAll, value);
}

}  // namespace hearth::grove::internal
