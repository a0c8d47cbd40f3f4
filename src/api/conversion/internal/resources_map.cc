#include "api/conversion/internal/resources_map.h"

#include "api/conversion/internal/fields.h"
#include "json/quantity.h"

namespace hearth::api::conversion::internal {
namespace {

constexpr std::string_view kGpu = "nvidia.com/gpu";

bool IsQuantity(const Tree& value) {
  return value.IsString() && json::Quantity::Parse(value.text()).ok();
}

void SetQuantity(Tree& list, std::string_view name, const Tree& value) {
  if (IsQuantity(value)) {
    list.Set(name, value);
  }
}

Tree Quantities(const Tree& map) {
  Tree list = Tree::Object();
  for (size_t i = 0; map.IsObject() && i < map.size(); ++i) {
    if (IsQuantity(map.at(i))) {
      list.Add(map.name(i), map.at(i));
    }
  }
  return list;
}

Tree ItemToBeta(const Tree& item) {
  if (!item.IsObject()) {
    return Tree();
  }
  Tree list = Tree::Object();
  SetQuantity(list, "cpu", item.Find("cpu"));
  SetQuantity(list, "memory", item.Find("memory"));
  const Tree type = item.Find("gpuType");
  SetQuantity(list, type.text().empty() ? kGpu : type.text(), item.Find("gpu"));
  return MergedMembers(list, Quantities(item.Find("custom")));
}

Tree ItemToAlpha(const Tree& list) {
  if (!list.IsObject()) {
    return Tree();
  }
  Tree item = Tree::Object();
  Tree custom = Tree::Object();
  for (size_t i = 0; i < list.size(); ++i) {
    const std::string_view name = list.name(i);
    const bool own = name == "cpu" || name == "memory" || name == kGpu;
    (own ? item : custom).Add(name == kGpu ? "gpu" : name, list.at(i));
  }
  if (custom.size() > 0) {
    item.Set("custom", custom);
  }
  return item;
}

template <typename Map>
Tree Mapped(const Tree& resources, Map map) {
  Tree mapped = Tree::Object();
  SetIfAny(mapped, "requests", map(resources.Find("requests")));
  SetIfAny(mapped, "limits", map(resources.Find("limits")));
  SetIfAny(mapped, "claims", resources.Find("claims"));
  return mapped;
}

}  // namespace

Tree ResourcesToBeta(const Tree& resources) {
  return resources.IsObject() ? Mapped(resources, ItemToBeta) : Tree();
}

Tree ResourcesToAlpha(const Tree& resources) {
  if (!resources.IsObject()) {
    return Tree();
  }
  const Tree mapped = Mapped(resources, ItemToAlpha);
  return ResourcesToBeta(mapped) == resources ? mapped : Tree();
}

}  // namespace hearth::api::conversion::internal
