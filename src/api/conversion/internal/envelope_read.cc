// Text to edits.
#include <algorithm>
#include <array>

#include "api/conversion/internal/envelope.h"
#include "api/conversion/internal/list_keys.h"
#include "api/conversion/internal/member_index.h"
#include "base/base64.h"
#include "json/parse.h"

namespace hearth::api::conversion::internal {
namespace {

using json::Value;

// As deep as a review that is converted may be: less would drop what was kept without a word.
constexpr json::ParseLimits kLimits{.max_bytes = kMostEnvelopeBytes, .max_depth = 2000};

// Objects that only hold others together: what is in them stands for itself, so that one thing that
// cannot come back does not keep the others.
bool IsWrapper(std::string_view name) {
  constexpr std::array kWrappers = {"extraPodSpec", "mainContainer", "podTemplate",
                                    "spec",         "metadata",      "experimental"};
  return std::find(kWrappers.begin(), kWrappers.end(), name) != kWrappers.end();
}

// What a tree of additions adds to another one. Each edit says its whole way, so they take many
// times what the text does that asks for them: no more are made once the arena is exhausted.
class Additions {
 public:
  explicit Additions(Arena& arena) : arena_(arena) {}

  void Collect(const Tree& added, const Tree& tree) {
    if (!added.IsObject()) {
      return;
    }
    const Tree object = tree.IsObject() ? tree : Tree();
    const MemberIndex in_object(object, arena_);
    for (size_t i = 0; i < added.size() && !arena_.Exhausted(); ++i) {
      at_.emplace_back(added.name(i));
      CollectMember(added.at(i), in_object.Find(added.name(i)));
      at_.pop_back();
    }
  }

  std::vector<Edit> Take() { return std::move(edits_); }

 private:
  void CollectMember(const Tree& added, const Tree& there) {
    if (!there.Exists() && !(IsWrapper(at_.back()) && added.IsObject() && added.size() > 0)) {
      Push({.value = added, .make_parents = true});
    } else if (added.IsArray() && there.IsArray()) {
      CollectItems(added, there);
    } else {
      Collect(added, there);
    }
  }

  // Items are matched by their names and never added: they may have been deleted.
  void CollectItems(const Tree& added, const Tree& there) {
    std::vector<std::string> order;
    for (size_t i = 0; i < std::min(added.size(), kMaxMatchedItems) && !arena_.Exhausted(); ++i) {
      const Tree item = added.at(i);
      order.emplace_back(item.Find("name").text());
      const auto place = FindItem(there, "name", order.back(), arena_);
      if (place.has_value()) {
        at_.push_back("name=" + order.back());
        Collect(item, there.at(*place));
        at_.pop_back();
      }
    }
    CollectOrder(std::move(order), there);
  }

  // A whole list tells the order of its items, too.
  void CollectOrder(std::vector<std::string> order, const Tree& there) {
    for (size_t i = 0; i < there.size(); ++i) {
      arena_.SpendLooks(order.size() + there.at(i).size());
      const std::string_view name = there.at(i).Find("name").text();
      if (arena_.Exhausted() || std::find(order.begin(), order.end(), name) == order.end()) {
        return;
      }
    }
    Push({.kind = Edit::Kind::kOrder, .key = "name", .order = std::move(order)});
  }

  void Push(Edit edit) {
    for (const std::string& step : at_) {
      arena_.Spend(sizeof(std::string) + step.size());
    }
    if (!arena_.Exhausted()) {
      edit.at = at_;
      edits_.push_back(std::move(edit));
    }
  }

  Arena& arena_;
  Steps at_;
  std::vector<Edit> edits_;
};

std::string Text(const Value& object, std::string_view member) {
  const Value* found = object.Find(member);
  return found == nullptr ? std::string() : found->StringOr("");
}

// Nothing when it is missing or is not what we write.
Tree RawValue(const Value& record, Arena& arena) {
  const auto bytes = DecodeBase64(Text(record, "raw"));
  if (!bytes.ok()) {
    return Tree();
  }
  auto value = json::ParseValue(*bytes, kLimits);
  return value.ok() ? arena.Keep(*std::move(value)) : Tree();
}

std::optional<Condition> ReadCondition(const Value* condition) {
  if (condition == nullptr) {
    return std::nullopt;
  }
  const Value* digest = condition->Find("is");
  return Condition{
      .at = ToSteps(Text(*condition, "path")),
      .digest = digest == nullptr ? std::nullopt : std::optional(digest->StringOr("?"))};
}

std::vector<std::string> ReadNames(const Value& list) {
  std::vector<std::string> names;
  for (size_t i = 0; list.IsArray() && i < list.items().size(); ++i) {
    names.push_back(list.items()[i].StringOr(""));
  }
  return names;
}

bool ReadKind(const Value& record, Edit& edit, Arena& arena) {
  const Value* nil = record.Find("nil");
  if (const Value* order = record.Find("order"); order != nullptr) {
    edit.kind = Edit::Kind::kOrder;
    edit.key = Text(record, "key");
    edit.order = ReadNames(*order);
    return true;
  }
  if (nil != nullptr && nil->kind() == json::Kind::kBool && nil->boolean()) {
    edit.kind = Edit::Kind::kRemove;
    return true;
  }
  edit.kind = edit.was.empty() ? Edit::Kind::kAdd : Edit::Kind::kReplace;
  edit.value = RawValue(record, arena);
  return edit.value.Exists();
}

void ReadRecords(const Value& records, std::vector<Edit>& edits, Arena& arena) {
  for (size_t i = 0; records.IsArray() && i < records.items().size(); ++i) {
    const Value& record = records.items()[i];
    Edit edit{.at = ToSteps(Text(record, "path")),
              .was = Text(record, "was"),
              .only_if = ReadCondition(record.Find("if"))};
    if (ReadKind(record, edit, arena)) {
      edits.push_back(std::move(edit));
    }
  }
}

bool KnownVersion(const Value& envelope) {
  const Value* version = envelope.Find("version");
  return version == nullptr || version->Int() == 1;
}

}  // namespace

std::vector<Edit> ReadEnvelope(std::string_view text, const std::string& part, const Tree& tree,
                               Arena& arena) {
  auto parsed = json::ParseValue(text, kLimits);
  if (!parsed.ok() || !parsed->IsObject()) {
    return {};
  }
  const Value& envelope = arena.KeepValue(*std::move(parsed));
  const Tree inner(envelope.Find(part));
  Additions additions(arena);
  if (!inner.Exists()) {
    additions.Collect(Tree(&envelope), tree);
    return additions.Take();
  }
  if (!KnownVersion(envelope)) {
    return {};
  }
  additions.Collect(inner, tree);
  std::vector<Edit> edits = additions.Take();
  if (const Value* records = envelope.Find("rawJSON"); records != nullptr) {
    ReadRecords(*records, edits, arena);
  }
  return edits;
}

}  // namespace hearth::api::conversion::internal
