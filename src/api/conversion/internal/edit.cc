#include "api/conversion/internal/edit.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>

#include "api/conversion/internal/list_keys.h"
#include "api/conversion/internal/member_index.h"
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

std::optional<size_t> FindStep(const Tree& list, std::string_view step, Arena& arena) {
  const auto item = ToItemName(step);
  return item.has_value() ? FindItem(list, item->key, item->value, arena) : std::nullopt;
}

Tree With(const Tree& parent, const std::string& step, const Tree& child, Arena& arena) {
  if (!parent.IsArray()) {
    ObjectBuilder object(arena, parent);
    object.Set(step, child);
    return object.Build();
  }
  ListBuilder list(arena, parent);
  if (const auto place = FindStep(parent, step, arena); place.has_value()) {
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
  if (const auto place = FindStep(parent, step, arena); place.has_value()) {
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

std::string DigestOf(std::string_view canonical) {
  constexpr char kDigits[] = "0123456789abcdef";
  uint64_t hash = HashBytes(canonical);
  std::string text(16, '0');
  for (size_t i = text.size(); i-- > 0; hash >>= 4) {
    text[i] = kDigits[hash & 15];
  }
  return text;
}

bool HasDigest(const Tree& tree, const std::string& digest, Arena& arena) {
  if (arena.Exhausted()) {
    return false;
  }
  size_t sorting = 0;
  const std::string text = tree.WriteCanonical(sorting);
  arena.Spend(text.size());
  arena.SpendLooks(sorting);
  return DigestOf(text) == digest;
}

bool Expected(const Tree& parent, const Edit& edit, Arena& arena) {
  const Tree there = Child(parent, edit.at.back(), arena);
  switch (edit.kind) {
    case Edit::Kind::kAdd:
      return !there.Exists() && CanAdd(parent, edit);
    case Edit::Kind::kReplace:
    case Edit::Kind::kRemove:
      return there.Exists() && HasDigest(there, edit.was, arena);
    case Edit::Kind::kOrder:
      return there.IsArray() && edit.order.size() <= kMaxMatchedItems;
  }
  return false;
}

Tree Reordered(const Tree& list, const Edit& edit, Arena& arena) {
  ListBuilder ordered(arena, list.size() + 1);
  std::vector<bool> taken(list.size());
  for (const std::string& name : edit.order) {
    const auto place = arena.Exhausted() ? std::nullopt : FindItem(list, edit.key, name, arena);
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
  if (!Expected(parent, edit, arena)) {
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

// An object or list while its children are changed: it is made anew once, not for each of them.
class Parent {
 public:
  Parent(const Tree& tree, Arena& arena) : tree_(tree), arena_(arena) {}

  bool IsObject() const { return tree_.IsObject(); }
  Tree Child(const std::string& step) {
    if (!tree_.IsObject()) {
      return internal::Child(tree_, step, arena_);
    }
    return object_.has_value() ? object_->Find(step) : Index().Find(step);
  }
  void Set(const std::string& step, const Tree& child) {
    if (tree_.IsArray()) {
      tree_ = With(tree_, step, child, arena_);
      return;
    }
    if (!object_.has_value()) {
      object_.emplace(arena_, tree_);
      index_.reset();
    }
    object_->Set(step, child);
  }
  // The edit of a child by its name.
  void Make(const Edit& edit) {
    if (edit.kind == Edit::Kind::kAdd && IsObject()) {  // most are
      if (!Child(edit.at.back()).Exists()) {
        Set(edit.at.back(), edit.value);
      }
      return;
    }
    if (const Tree made = Made(Take(), edit, arena_); made.Exists()) {
      tree_ = made;
      index_.reset();
    }
  }
  Tree Take() {
    if (object_.has_value()) {
      tree_ = object_->Build();
      object_.reset();
    }
    return tree_;
  }

 private:
  const MemberIndex& Index() {
    if (!index_.has_value()) {
      index_.emplace(tree_, arena_);
    }
    return *index_;
  }

  Tree tree_;
  Arena& arena_;
  std::optional<MemberIndex> index_;     // of an object, until a member changes
  std::optional<ObjectBuilder> object_;  // once a member changed
};

using EditSpan = std::span<const Edit* const>;

Tree AllMade(const Tree& at, EditSpan edits, size_t depth, Arena& arena);

// How many edits at the front go the same way one step further.
size_t SameWay(EditSpan edits, size_t depth) {
  const std::string& step = edits.front()->at[depth];
  const auto end = std::find_if(edits.begin(), edits.end(), [&](const Edit* edit) {
    return edit->at.size() <= depth + 1 || edit->at[depth] != step;
  });
  return static_cast<size_t>(end - edits.begin());
}

// Makes edits that all go below one child of the parent, which is made when they say so.
void MakeBelow(Parent& parent, EditSpan edits, size_t depth, Arena& arena) {
  const std::string& step = edits.front()->at[depth];
  Tree child = parent.Child(step);
  while (!child.Exists() && !edits.empty()) {
    if (edits.front()->make_parents && parent.IsObject()) {
      const Tree empty = ObjectBuilder(arena, 4).Build();
      const Tree made = AllMade(empty, edits.first(1), depth + 1, arena);
      child = Tree::Same(made, empty) ? Tree() : made;
    }
    edits = edits.subspan(1);
    if (child.Exists()) {
      parent.Set(step, child);
    }
  }
  if (!edits.empty()) {
    const Tree made = AllMade(child, edits, depth + 1, arena);
    if (!Tree::Same(made, child)) {
      parent.Set(step, made);
    }
  }
}

// Makes the edits below `at`, one after the other; their first `depth` steps lead there. Those that
// the place does not expect are passed over.
Tree AllMade(const Tree& at, EditSpan edits, size_t depth, Arena& arena) {
  Parent parent(at, arena);
  while (!edits.empty() && !arena.Exhausted()) {
    const bool here = edits.front()->at.size() == depth + 1;
    const size_t count = here ? 1 : SameWay(edits, depth);
    if (here) {
      parent.Make(*edits.front());
    } else {
      MakeBelow(parent, edits.first(count), depth, arena);
    }
    edits = edits.subspan(count);
  }
  return parent.Take();
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
  const auto item = ToItemName(step);
  const auto place = item.has_value() ? FindItem(parent, item->key, item->value) : std::nullopt;
  return place.has_value() ? parent.at(*place) : Tree();
}

Tree Child(const Tree& parent, std::string_view step, Arena& arena) {
  if (!parent.IsArray()) {
    arena.SpendLooks(parent.size());
    return parent.Find(step);
  }
  const auto place = FindStep(parent, step, arena);
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

std::string Digest(const Tree& tree) { return DigestOf(tree.WriteCanonical()); }

Tree At(const Tree& root, const Steps& steps) {
  Tree at = root;
  for (const std::string& step : steps) {
    at = Child(at, step);
  }
  return at;
}

bool Holds(const Tree& root, const Edit& edit, Arena& arena) {
  if (!edit.only_if.has_value()) {
    return true;
  }
  if (arena.Exhausted()) {
    return false;
  }
  Tree there = root;
  for (const std::string& step : edit.only_if->at) {
    there = Child(there, step, arena);
  }
  const auto& digest = edit.only_if->digest;
  if (!digest.has_value()) {
    return there.Exists();
  }
  return there.Exists() ? HasDigest(there, *digest, arena) : digest->empty();
}

Tree Applied(const Tree& root, const std::vector<const Edit*>& edits, Arena& arena) {
  std::vector<const Edit*> below;
  std::copy_if(edits.begin(), edits.end(), std::back_inserter(below),
               [](const Edit* edit) { return !edit->at.empty(); });
  return AllMade(root, below, 0, arena);
}

}  // namespace hearth::api::conversion::internal
