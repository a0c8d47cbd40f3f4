#include "api/conversion/internal/resources_map.h"

#include <algorithm>

#include "api/conversion/internal/fields.h"
#include "json/quantity.h"

namespace hearth::api::conversion::internal {
namespace {

constexpr std::string_view kGpu = "nvidia.com/gpu";

// Most are digits and a suffix at most; the others are for those who know all about quantities.
bool IsPlainQuantity(std::string_view text) {
  const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string_view suffix = text.substr(digits);
  return digits > 0 && (suffix.empty() || suffix == "m" || suffix == "Mi" || suffix == "Gi");
}

bool IsQuantity(const Tree& value) {
  return value.IsString() &&
         (IsPlainQuantity(value.text()) || json::Quantity::Parse(value.text()).ok());
}

Tree Quantities(const Tree& map, Arena& arena) {
  ObjectBuilder list(arena);
  for (size_t i = 0; map.IsObject() && i < map.size(); ++i) {
    if (IsQuantity(map.at(i))) {
      list.Add(map.name(i), map.at(i));
    }
  }
  return list.Build();
}

void SetQuantity(ObjectBuilder& list, std::string_view name, const Tree& value) {
  if (IsQuantity(value)) {
    list.Set(name, value);
  }
}

Tree ItemToBeta(const Tree& item, Arena& arena) {
  if (!item.IsObject()) {
    return Tree();
  }
  ObjectBuilder list(arena);
  SetQuantity(list, "cpu", item.Find("cpu"));
  SetQuantity(list, "memory", item.Find("memory"));
  const std::string_view type = item.Find("gpuType").text();
  SetQuantity(list, type.empty() ? kGpu : type, item.Find("gpu"));
  const Tree custom = item.Find("custom");
  return custom.size() == 0 ? list.Build()
                            : MergedMembers(list.Build(), Quantities(custom, arena), arena);
}

// Nothing when a value is no quantity.
Tree ItemToAlpha(const Tree& list, Arena& arena) {
  ObjectBuilder item(arena);
  ObjectBuilder custom(arena);
  for (size_t i = 0; i < list.size(); ++i) {
    const std::string_view name = list.name(i);
    if (!IsQuantity(list.at(i))) {
      return Tree();
    }
    const bool own = name == "cpu" || name == "memory" || name == kGpu;
    (own ? item : custom).Add(name == kGpu ? "gpu" : name, list.at(i));
  }
  item.SetIfAny("custom", custom.BuildIfAny());
  return item.Build();
}

}  // namespace

Tree ResourcesToBeta(const Tree& resources, Arena& arena) {
  if (!resources.IsObject()) {
    return Tree();
  }
  ObjectBuilder mapped(arena);
  mapped.SetIfAny("requests", ItemToBeta(resources.Find("requests"), arena));
  mapped.SetIfAny("limits", ItemToBeta(resources.Find("limits"), arena));
  mapped.SetIfAny("claims", resources.Find("claims"));
  return mapped.Build();
}

Tree ResourcesToAlpha(const Tree& resources, Arena& arena) {
  if (!resources.IsObject()) {
    return Tree();
  }
  ObjectBuilder mapped(arena);
  for (size_t i = 0; i < resources.size(); ++i) {
    const std::string_view name = resources.name(i);
    const bool list = (name == "requests" || name == "limits") && resources.at(i).IsObject();
    const Tree value = list ? ItemToAlpha(resources.at(i), arena) : resources.at(i);
    if ((!list && name != "claims") || !value.Exists()) {
      return Tree();
    }
    mapped.Add(name, value);
  }
  return mapped.Build();
}

}  // namespace hearth::api::conversion::internal
