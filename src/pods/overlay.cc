#include "pods/overlay.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "json/strategic_merge.h"
#include "pods/lists.h"

namespace hearth::pods {
namespace {

using json::Value;
using Path = std::vector<std::string_view>;

bool IsEmpty(const Value& value) {
  return value.IsNull() || (value.IsString() && value.string().empty()) ||
         (value.IsArray() && value.items().empty());
}

// Members that are replaced as a whole, though they are objects.
bool IsOneThing(std::string_view name) {
  constexpr std::array kWhole = {"livenessProbe", "readinessProbe", "startupProbe", "valueFrom"};
  return std::find(kWhole.begin(), kWhole.end(), name) != kWhole.end();
}

// Lists with a key whose items are replaced as a whole.
bool HasWholeItems(std::string_view list) {
  constexpr std::array kWhole = {"env", "volumes", "resourceClaims", "tolerations"};
  return std::find(kWhole.begin(), kWhole.end(), list) != kWhole.end();
}

void OverlayObject(Value& base, const Value& over, Path& path);

// Keys are texts and numbers.
Value* FindKey(Value& list, std::string_view key, const Value& wanted) {
  for (Value& item : list.items()) {
    const Value* const own = item.Find(key);
    if (own != nullptr && *own == wanted) {
      return &item;
    }
  }
  return nullptr;
}

void OverlayList(Value& base, const Value& over, std::string_view key, Path& path) {
  for (const Value& item : over.items()) {
    const Value* const own = item.Find(key);
    Value* const there = own == nullptr ? nullptr : FindKey(base, key, *own);
    if (there == nullptr) {
      base.Append(item);
    } else if (HasWholeItems(path.back())) {
      *there = item;
    } else {
      OverlayObject(*there, item, path);
    }
  }
}

void OverlayMember(Value& base, const Value& over, Path& path) {
  if (base.IsObject() && over.IsObject() && !IsOneThing(path.back())) {
    OverlayObject(base, over, path);
    return;
  }
  if (base.IsArray() && over.IsArray()) {
    const json::MergeSchema::List* const list = json::PodMergeSchema().ListAt(path);
    if (list != nullptr && !list->merge_key.empty()) {
      OverlayList(base, over, list->merge_key, path);
      return;
    }
  }
  base = over;
}

void OverlayObject(Value& base, const Value& over, Path& path) {
  for (const auto& [name, value] : over.members()) {
    if (IsEmpty(value)) {
      continue;
    }
    path.push_back(name);
    OverlayMember(base[name], value, path);
    path.pop_back();
  }
}

}  // namespace

void Overlay(Value& base, const Value& over, std::string_view within) {
  if (!over.IsObject()) {
    return;
  }
  if (!base.IsObject()) {
    base = Value::Object();
  }
  Path path = {within};
  OverlayObject(base, over, path);
}

}  // namespace hearth::pods
