#include "api/conversion/internal/edit.h"

#include <algorithm>

#include "api/conversion/internal/list_keys.h"
#include "base/hash.h"
#include "base/strings.h"

namespace hearth::api::conversion::internal {
namespace {

struct ItemName {
  std::string_view key;
  std::string_view value;
};

// "name=main"; a step without = names no item.
std::optional<ItemName> ToItemName(std::string_view step) {
  const size_t equals = step.find('=');
  if (equals == std::string_view::npos) {
    return std::nullopt;
  }
  return ItemName{step.substr(0, equals), step.substr(equals + 1)};
}

std::optional<size_t> FindStep(const Tree& list, std::string_view step) {
  const auto item = ToItemName(step);
  return item.has_value() ? FindItem(list, item->key, item->value) : std::nullopt;
}

Tree With(const Tree& parent, const std::string& step, const Tree& child, Arena& arena) {
  if (!parent.IsArray()) {
    ObjectBuilder object(arena, parent);
    object.Set(step, child);
    return object.Build();
  }
  ListBuilder list(arena, parent);
  if (const auto place = FindStep(parent, step); place.has_value()) {
    list.Replace(*place, child);
  } else {
    list.Append(child);
  }
  return list.Build();
}

Tree Without(const Tree& parent, const std::string& step, Arena& arena) {
  if (!parent.IsArray()) {
    ObjectBuilder object(arena, parent);
    object.Erase(step);
    return object.Build();
  }
  ListBuilder list(arena, parent);
  if (const auto place = FindStep(parent, step); place.has_value()) {
    list.EraseAt(*place);
  }
  return list.Build();
}

// An item that is added must be found again under its name.
bool CanAdd(const Tree& parent, const Edit& edit) {
  if (parent.IsObject()) {
    return true;
  }
  const auto item = parent.IsArray() ? ToItemName(edit.at.back()) : std::nullopt;
  return item.has_value() && edit.value.Find(item->key).text() == item->value;
}

bool Expected(const Tree& parent, const Edit& edit) {
  const Tree there = Child(parent, edit.at.back());
  switch (edit.kind) {
    case Edit::Kind::kAdd:
      return !there.Exists() && CanAdd(parent, edit);
    case Edit::Kind::kReplace:
    case Edit::Kind::kRemove:
      return there.Exists() && Digest(there) == edit.was;
    case Edit::Kind::kOrder:
      return there.IsArray() && edit.order.size() <= kMaxMatchedItems;
  }
  return false;
}

Tree Reordered(const Tree& list, const Edit& edit, Arena& arena) {
  ListBuilder ordered(arena, list.size() + 1);
  std::vector<bool> taken(list.size());
  for (const std::string& name : edit.order) {
    const auto place = FindItem(list, edit.key, name);
    if (place.has_value() && !taken[*place]) {
      taken[*place] = true;
      ordered.Append(list.at(*place));
    }
  }
  for (size_t i = 0; i < list.size(); ++i) {
    if (!taken[i]) {
      ordered.Append(list.at(i));
    }
  }
  return ordered.Build();
}

Tree Made(const Tree& parent, const Edit& edit, Arena& arena) {
  const std::string& step = edit.at.back();
  if (!Expected(parent, edit)) {
    return Tree();
  }
  switch (edit.kind) {
    case Edit::Kind::kRemove:
      return Without(parent, step, arena);
    case Edit::Kind::kOrder:
      return With(parent, step, Reordered(Child(parent, step), edit, arena), arena);
    default:
      return With(parent, step, edit.value, arena);
  }
}

// Makes the edit below `at`, which is the place its first `depth` steps lead to.
Tree MadeBelow(const Tree& at, const Edit& edit, size_t depth, Arena& arena) {
  if (depth + 1 == edit.at.size()) {
    return Made(at, edit, arena);
  }
  Tree child = Child(at, edit.at[depth]);
  if (!child.Exists() && edit.make_parents && at.IsObject()) {
    child = ObjectBuilder(arena, 1).Build();
  }
  const Tree changed = child.Exists() ? MadeBelow(child, edit, depth + 1, arena) : Tree();
  return changed.Exists() ? With(at, edit.at[depth], changed, arena) : Tree();
}

void AppendEscaped(std::string& out, std::string_view step) {
  for (const char c : step) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
}

std::string Unescaped(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '~' && i + 1 < text.size();
    out += !escape ? text[i] : (text[++i] == '1' ? '/' : '~');
  }
  return out;
}

}  // namespace

Tree Child(const Tree& parent, std::string_view step) {
  if (!parent.IsArray()) {
    return parent.Find(step);
  }
  const auto place = FindStep(parent, step);
  return place.has_value() ? parent.at(*place) : Tree();
}

std::string ToText(const Steps& steps) {
  std::string out;
  for (const std::string& step : steps) {
    out += '/';
    AppendEscaped(out, step);
  }
  return out;
}

Steps ToSteps(std::string_view text) {
  Steps steps;
  if (text.empty() || text.front() != '/') {
    return steps;
  }
  for (const std::string_view step : Split(text.substr(1), '/')) {
    steps.push_back(Unescaped(step));
  }
  return steps;
}

std::string Digest(const Tree& tree) {
  constexpr char kDigits[] = "0123456789abcdef";
  uint64_t hash = HashBytes(tree.ToValue().WriteCanonical());
  std::string text(16, '0');
  for (size_t i = text.size(); i-- > 0; hash >>= 4) {
    text[i] = kDigits[hash & 15];
  }
  return text;
}

Tree At(const Tree& root, const Steps& steps) {
  Tree at = root;
  for (const std::string& step : steps) {
    at = Child(at, step);
  }
  return at;
}

bool Holds(const Tree& root, const Edit& edit) {
  if (!edit.only_if.has_value()) {
    return true;
  }
  const Tree there = At(root, edit.only_if->at);
  const auto& digest = edit.only_if->digest;
  if (!digest.has_value()) {
    return there.Exists();
  }
  return there.Exists() ? Digest(there) == *digest : digest->empty();
}

Tree Applied(const Tree& root, const Edit& edit, Arena& arena) {
  return edit.at.empty() ? Tree() : MadeBelow(root, edit, 0, arena);
}

}  // namespace hearth::api::conversion::internal
