// Edits to text.
#include <algorithm>
#include <optional>

#include "api/conversion/internal/envelope.h"
#include "api/conversion/internal/member_index.h"
#include "base/base64.h"
#include "json/builder.h"

namespace hearth::api::conversion::internal {
namespace {

using json::Value;

constexpr std::string_view kItem = "name=";

// Where a step starts.
class Start {
 public:
  explicit Start(const Tree& tree) : tree_(tree) {}

  bool IsList() const { return tree_.IsArray(); }
  Tree Child(const std::string& step) {
    if (!tree_.IsObject()) {
      return internal::Child(tree_, step);
    }
    if (!index_.has_value()) {
      index_.emplace(tree_);
    }
    return index_->Find(step);
  }

 private:
  Tree tree_;
  std::optional<MemberIndex> index_;  // many edits may start here
};

// Follows edits through the tree. One goes mostly the way of the one before.
class Walk {
 public:
  explicit Walk(const Tree& root) : starts_{Start(root)} {}

  // Where each step of the edit starts. Good until the next edit, which must not be gone by then.
  const std::vector<Start>& Along(const Edit& edit) {
    const Steps& steps = edit.at;
    const size_t most = std::min(starts_.size(), std::max<size_t>(steps.size(), 1)) - 1;
    size_t same = 0;
    while (same < most && steps[same] == (*before_)[same]) {
      ++same;
    }
    starts_.erase(starts_.begin() + static_cast<std::ptrdiff_t>(same) + 1, starts_.end());
    for (; same + 1 < steps.size(); ++same) {
      starts_.emplace_back(starts_.back().Child(steps[same]));
    }
    before_ = &steps;
    return starts_;
  }

 private:
  std::vector<Start> starts_;
  const Steps* before_ = nullptr;
};

// Whether a tree that has nothing but additions can say it: lists only on the way, and their items
// known by name. Only the whole tree, where each step starts, tells whether it leads to an item or
// a member.
bool FitsIntoTree(const Edit& edit, const std::vector<Start>& starts) {
  if (edit.kind != Edit::Kind::kAdd || edit.only_if.has_value()) {
    return false;
  }
  for (size_t i = 0; i < edit.at.size(); ++i) {
    const bool last = i + 1 == edit.at.size();
    if (starts[i].IsList() && (last || !edit.at[i].starts_with(kItem))) {
      return false;
    }
  }
  return true;
}

// What is added, as it grows: objects and lists on the way to the values.
struct Growth {
  std::string_view name;  // of a member, or of an item by its name
  bool is_list = false;
  Tree value;                    // at the end of the way
  std::vector<Growth> children;  // on the way

  Growth& Child(std::string_view child) {
    // Edits come in the order of a walk through the tree: it is the last one, if any.
    const bool again = !children.empty() && children.back().name == child;
    return again ? children.back() : children.emplace_back(Growth{.name = child});
  }
};

void AddToTree(Growth& tree, const Edit& edit, const std::vector<Start>& starts) {
  Growth* to = &tree;
  for (size_t i = 0; i < edit.at.size(); ++i) {
    const std::string_view step = edit.at[i];
    to->is_list = starts[i].IsList();
    to = &to->Child(to->is_list ? step.substr(kItem.size()) : step);
  }
  to->value = edit.value;
}

void Write(const Growth& tree, std::string& text, bool is_item = false);

void WriteMembers(const Growth& tree, std::string& text, bool is_item) {
  std::vector<const Growth*> members;
  members.reserve(tree.children.size() + 1);
  const Growth name{.name = "name"};
  for (const Growth& child : tree.children) {
    members.push_back(&child);
  }
  if (is_item) {
    members.push_back(&name);
  }
  const auto before = [](const Growth* a, const Growth* b) { return a->name < b->name; };
  if (!std::is_sorted(members.begin(), members.end(), before)) {
    std::stable_sort(members.begin(), members.end(), before);
  }
  for (const Growth* member : members) {
    text += member == members.front() ? "" : ",";
    json::AppendQuoted(text, member->name);
    text += ':';
    if (member == &name) {
      json::AppendQuoted(text, tree.name);
    } else {
      Write(*member, text);
    }
  }
}

void WriteItems(const Growth& tree, std::string& text) {
  for (const Growth& item : tree.children) {
    text += &item == tree.children.data() ? "" : ",";
    Write(item, text, true);
  }
}

// Canonical, as all that is kept in annotations.
void Write(const Growth& tree, std::string& text, bool is_item) {
  if (tree.value.Exists()) {
    tree.value.AppendCanonical(text);
    return;
  }
  text += tree.is_list ? '[' : '{';
  if (tree.is_list) {
    WriteItems(tree, text);
  } else {
    WriteMembers(tree, text, is_item);
  }
  text += tree.is_list ? ']' : '}';
}

Value ToJson(const Condition& condition) {
  Value json = Value::Object({{"path", ToText(condition.at)}});
  if (condition.digest.has_value()) {
    json.Set("is", *condition.digest);
  }
  return json;
}

Value Names(const std::vector<std::string>& names) {
  Value list = Value::Array();
  for (const std::string& name : names) {
    list.Append(name);
  }
  return list;
}

Value ToJson(const Edit& edit) {
  Value json = Value::Object({{"path", ToText(edit.at)}});
  if (edit.kind == Edit::Kind::kOrder) {
    json.Set("key", edit.key);
    json.Set("order", Names(edit.order));
  } else if (edit.kind == Edit::Kind::kRemove) {
    json.Set("nil", true);
  } else {
    json.Set("raw", EncodeBase64(edit.value.WriteCanonical()));
  }
  if (!edit.was.empty()) {
    json.Set("was", edit.was);
  }
  if (edit.only_if.has_value()) {
    json.Set("if", ToJson(*edit.only_if));
  }
  return json;
}

}  // namespace

std::string WriteEnvelope(const std::vector<Edit>& edits, const std::string& part,
                          const Tree& whole) {
  Growth added;
  Walk walk(whole);
  Value rest = Value::Array();
  for (const Edit& edit : edits) {
    const std::vector<Start>& starts = walk.Along(edit);
    if (FitsIntoTree(edit, starts)) {
      AddToTree(added, edit, starts);
    } else {
      rest.Append(ToJson(edit));
    }
  }
  // Members in the order of their names: rawJSON, spec or status, version.
  std::string text = "{";
  if (!rest.items().empty()) {
    text += "\"rawJSON\":" + rest.WriteCanonical() + ",";
  }
  json::AppendQuoted(text, part);
  text += ':';
  Write(added, text);
  return text + ",\"version\":1}";
}

}  // namespace hearth::api::conversion::internal
