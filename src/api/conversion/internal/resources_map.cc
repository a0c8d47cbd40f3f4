#include "api/conversion/internal/resources_map.h"

#include <algorithm>

#include "api/conversion/internal/fields.h"
#include "json/quantity.h"

namespace hearth::api::conversion::internal {
namespace {

constexpr std::string_view kGpu = "nvidia.com/gpu";

bool IsQuantity(const Tree& value, Arena& arena) {
  arena.Spend(sizeof(void*) + value.text().size());
  if (!value.IsString() || IsPlainQuantity(value.text())) {
    return value.IsString();
  }
  SpendParsing(value.text(), arena);
  return json::Quantity::Parse(value.text()).ok();
}

Tree Quantities(const Tree& map, Arena& arena) {
  ObjectBuilder list(arena);
  for (size_t i = 0; map.IsObject() && i < map.size(); ++i) {
    if (IsQuantity(map.at(i), arena)) {
      list.Add(map.name(i), map.at(i));
    }
  }
  return list.Build();
}

void SetQuantity(ObjectBuilder& list, std::string_view name, const Tree& value) {
  if (IsQuantity(value, list.arena())) {
    list.Set(name, value);
  }
}

Tree ItemToBeta(const Tree& item, Arena& arena) {
  if (!item.IsObject()) {
    return Tree();
  }
  ObjectBuilder list(arena);
  SetQuantity(list, "cpu", arena.Find(item, "cpu"));
  SetQuantity(list, "memory", arena.Find(item, "memory"));
  const std::string_view type = arena.Find(item, "gpuType").text();
  SetQuantity(list, type.empty() ? kGpu : type, arena.Find(item, "gpu"));
  const Tree custom = arena.Find(item, "custom");
  return custom.size() == 0 ? list.Build()
                            : MergedMembers(list.Build(), Quantities(custom, arena), arena);
}

// Nothing when a value is no quantity.
Tree ItemToAlpha(const Tree& list, Arena& arena) {
  ObjectBuilder item(arena);
  ObjectBuilder custom(arena);
  for (size_t i = 0; i < list.size(); ++i) {
    const std::string_view name = list.name(i);
    if (!IsQuantity(list.at(i), arena)) {
      return Tree();
    }
    const bool own = name == "cpu" || name == "memory" || name == kGpu;
    (own ? item : custom).Add(name == kGpu ? "gpu" : name, list.at(i));
  }
  item.SetIfAny("custom", custom.BuildIfAny());
  return item.Build();
}

}  // namespace

bool IsPlainQuantity(std::string_view text) {
  const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string_view suffix = text.substr(digits);
  return digits > 0 && (suffix.empty() || suffix == "m" || suffix == "Mi" || suffix == "Gi");
}

void SpendParsing(std::string_view text, Arena& arena) {
  constexpr size_t kLooks = 32;
  arena.SpendLooks(kLooks);
  arena.Spend(text.size());
}

Tree ResourcesToBeta(const Tree& resources, Arena& arena) {
  if (!resources.IsObject()) {
    return Tree();
  }
  ObjectBuilder mapped(arena);
  mapped.SetIfAny("requests", ItemToBeta(arena.Find(resources, "requests"), arena));
  mapped.SetIfAny("limits", ItemToBeta(arena.Find(resources, "limits"), arena));
  mapped.SetIfAny("claims", arena.Find(resources, "claims"));
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
