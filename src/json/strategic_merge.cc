#include "json/strategic_merge.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "base/seeded_hash.h"
#include "base/strings.h"
#include "json/internal/member_table.h"
#include "json/internal/merge_directive.h"
#include "json/internal/merge_list.h"

namespace hearth::json {
namespace {

using internal::Clean;
using internal::CleanReplacement;
using internal::Directive;
using internal::DirectiveOf;
using internal::IsDirectiveMember;
using internal::kDeleteFrom;
using internal::KeyPositions;
using internal::kRetainKeys;
using internal::kSetOrder;
using internal::ListNamedBy;
using internal::MemberTable;
using internal::MergeElement;
using internal::MergeElements;

// A list's patch, taken apart.
struct ListPatch {
  MergeElements elements;          // without the special ones
  SeededSet<std::string> deleted;  // keys
  bool replace = false;
};

Result<ListPatch> ReadListPatch(const Value& patch, const std::string& merge_key) {
  ListPatch list;
  for (const Value& item : patch.items()) {
    ASSIGN_OR_RETURN(const Directive directive, DirectiveOf(item));
    if (directive == Directive::kReplace) {
      list.replace = true;
      continue;
    }
    ASSIGN_OR_RETURN(MergeElement element, internal::ReadMergeElement(item, merge_key));
    if (directive == Directive::kDelete) {
      list.deleted.insert(std::move(element.key));
    } else {
      list.elements.push_back(std::move(element));
    }
  }
  return list;
}

// The elements of the patch must stand in the order list, in its order.
Status CheckOrder(const MergeElements& patch, const MergeElements& order) {
  auto next = order.begin();
  for (const MergeElement& element : patch) {
    while (next != order.end() && next->key != element.key) {
      ++next;
    }
    if (next == order.end() && !order.empty()) {
      return InvalidError(fmt::format("$setElementOrder does not list {}, or in another order",
                                      Excerpt(element.value.Write(), 128)));
    }
  }
  return Status::Ok();
}

// The order of the live list that an order list is laid over. As apimachinery has it, what the
// patch adds stands at the end as far as deleted elements have made room.
KeyPositions LiveOrder(const MergeElements& standing, const ListPatch& patch) {
  KeyPositions order;
  size_t room = 0;
  for (const MergeElement& element : standing) {
    if (patch.deleted.contains(element.key)) {
      ++room;
    } else {
      order.try_emplace(element.key, order.size());
    }
  }
  for (const MergeElement& element : patch.elements) {
    if (room > 0 && order.try_emplace(element.key, order.size()).second) {
      --room;
    }
  }
  return order;
}

class Merger {
 public:
  explicit Merger(const MergeSchema& schema) : schema_(schema) {}

  // Both are objects.
  Status MergeObject(Value& live, const Value& patch);

 private:
  Status CheckDirectives(const Value& patch) const;
  Status MergeDirectives(Value& live, const Value& patch);
  Status MergeMembers(Value& live, const Value& patch);
  Status RetainKeys(Value& live, const Value& patch);
  // $setElementOrder/`name`, together with the patch of that list.
  Status MergeOrdered(MemberTable& live, std::string_view name, const Value* patch,
                      const Value& order);
  Status DeletePlain(MemberTable& live, std::string_view name, const Value& values);
  Status MergeMember(MemberTable& live, std::string_view name, const Value& patch);
  Status MergeBoth(Value& live, const Value& patch);
  Result<MergeElements> MergeList(const MergeSchema::List& list, Value::Items live,
                                  const Value& patch);
  Result<Value> OrderedList(const MergeSchema::List& list, const Value& live, const Value& patch,
                            const Value& order);
  Status MergeInto(MergeElements& merged, KeyPositions& positions, const MergeElement& element);

  Result<MergeElements> ReadList(Value::Items items, const MergeSchema::List& list) const {
    return internal::ReadMergeElements(std::move(items), list.merge_key).WithContext(Where());
  }
  Result<ListPatch> ReadPatch(const Value& patch, const MergeSchema::List& list) const {
    return ReadListPatch(patch, list.merge_key).WithContext(Where());
  }
  Status Wrong(std::string_view what) const {
    return InvalidError(fmt::format("{}: {}", Where(), what));
  }
  std::string Where() const {
    return path_.empty() ? "the root" : fmt::format("{}", fmt::join(path_, "."));
  }

  // Goes one member down while it lives.
  class Step {
   public:
    Step(Merger& merger, std::string_view name) : merger_(merger) { merger_.path_.push_back(name); }
    ~Step() { merger_.path_.pop_back(); }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

   private:
    Merger& merger_;
  };

  const MergeSchema& schema_;
  std::vector<std::string_view> path_;
};

Status Merger::MergeObject(Value& live, const Value& patch) {
  ASSIGN_OR_RETURN(const Directive directive, DirectiveOf(patch).WithContext(Where()));
  switch (directive) {
    case Directive::kReplace:
      live = CleanReplacement(patch);
      return Status::Ok();
    case Directive::kDelete:
      live = Value::Object();
      return Status::Ok();
    case Directive::kNone:
      break;
  }
  RETURN_IF_ERROR(CheckDirectives(patch));
  RETURN_IF_ERROR(RetainKeys(live, patch));
  RETURN_IF_ERROR(MergeDirectives(live, patch));
  return MergeMembers(live, patch);
}

// Orders come first, deletions second: an order speaks of the list as it will be, and what it does
// not name keeps its place.
Status Merger::MergeDirectives(Value& live, const Value& patch) {
  const auto members = internal::IndexMembers(patch);
  MemberTable table(live);
  for (const auto& [name, value] : patch.members()) {
    if (const auto list = ListNamedBy(kSetOrder, name)) {
      const auto list_patch = members.find(*list);
      const Step step(*this, *list);
      RETURN_IF_ERROR(MergeOrdered(
          table, *list, list_patch == members.end() ? nullptr : list_patch->second, value));
    }
  }
  for (const auto& [name, value] : patch.members()) {
    if (const auto list = ListNamedBy(kDeleteFrom, name)) {
      const Step step(*this, *list);
      RETURN_IF_ERROR(DeletePlain(table, *list, value));
    }
  }
  return Status::Ok();
}

// $setElementOrder and $deleteFromPrimitiveList must name their list.
Status Merger::CheckDirectives(const Value& patch) const {
  for (const auto& [name, value] : patch.members()) {
    for (const std::string_view directive : {kSetOrder, kDeleteFrom}) {
      if (name.starts_with(directive) && !ListNamedBy(directive, name)) {
        return Wrong(
            fmt::format("{} must name a list, as in {}/finalizers", Excerpt(name, 128), directive));
      }
    }
  }
  return Status::Ok();
}

Status Merger::MergeMembers(Value& live, const Value& patch) {
  const auto members = internal::IndexMembers(patch);
  MemberTable table(live);
  for (const auto& [name, value] : patch.members()) {
    const bool ordered = members.contains(fmt::format("{}/{}", kSetOrder, name));
    if (ordered || IsDirectiveMember(name)) {
      continue;  // done above
    }
    const Step step(*this, name);
    RETURN_IF_ERROR(MergeMember(table, name, value));
  }
  return Status::Ok();
}

Status Merger::RetainKeys(Value& live, const Value& patch) {
  const Value* retained = patch.Find(kRetainKeys);
  if (retained == nullptr) {
    return Status::Ok();
  }
  if (!retained->IsArray()) {
    return Wrong("$retainKeys must be an array of names");
  }
  SeededSet<std::string> names;
  for (const Value& name : retained->items()) {
    names.insert(name.StringOr(""));
  }
  for (const auto& [name, value] : patch.members()) {
    if (!value.IsNull() && !IsDirectiveMember(name) && !names.contains(name)) {
      return Wrong(
          fmt::format("the patch sets {}, which $retainKeys does not list", Excerpt(name, 128)));
    }
  }
  std::erase_if(live.members(),
                [&](const Value::Member& member) { return !names.contains(member.first); });
  return Status::Ok();
}

Status Merger::MergeOrdered(MemberTable& live, std::string_view name, const Value* patch,
                            const Value& order) {
  Value* current = live.Find(name);
  if ((current != nullptr && !current->IsArray()) || (patch != nullptr && !patch->IsArray()) ||
      !order.IsArray()) {
    return Wrong("$setElementOrder must be an array and speak of an array");
  }
  const MergeSchema::List* list = schema_.ListAt(path_);
  if (list == nullptr) {
    return patch == nullptr ? Status::Ok() : MergeMember(live, name, *patch);
  }
  if (current == nullptr && patch == nullptr) {
    return Status::Ok();
  }
  const Value none = Value::Array();
  ASSIGN_OR_RETURN(Value ordered, OrderedList(*list, current == nullptr ? none : *current,
                                              patch == nullptr ? none : *patch, order));
  live.Set(name, std::move(ordered));
  return Status::Ok();
}

Result<Value> Merger::OrderedList(const MergeSchema::List& list, const Value& live,
                                  const Value& patch, const Value& order) {
  ASSIGN_OR_RETURN(const MergeElements wanted, ReadList(order.items(), list));
  ASSIGN_OR_RETURN(const MergeElements standing, ReadList(live.items(), list));
  ASSIGN_OR_RETURN(const ListPatch taken, ReadPatch(patch, list));
  const Status fits = CheckOrder(taken.elements, wanted);
  if (!fits.ok()) {
    return fits.WithContext(Where());
  }
  ASSIGN_OR_RETURN(MergeElements merged, MergeList(list, live.items(), patch));
  return Value::FromItems(internal::TakeValues(
      internal::OrderElements(std::move(merged), PositionsOf(wanted), LiveOrder(standing, taken))));
}

Status Merger::DeletePlain(MemberTable& live, std::string_view name, const Value& values) {
  if (!values.IsArray()) {
    return Wrong("$deleteFromPrimitiveList must be an array of plain values");
  }
  Value* current = live.Find(name);
  if (current == nullptr || !current->IsArray()) {
    return Status::Ok();
  }
  const MergeSchema::List plain = {};
  ASSIGN_OR_RETURN(MergeElements standing, ReadList(current->items(), plain));
  ASSIGN_OR_RETURN(const MergeElements deleted, ReadList(values.items(), plain));
  const KeyPositions gone = PositionsOf(deleted);
  std::erase_if(standing, [&](const MergeElement& element) { return gone.contains(element.key); });
  *current = Value::FromItems(internal::TakeValues(std::move(standing)));
  return Status::Ok();
}

Status Merger::MergeMember(MemberTable& live, std::string_view name, const Value& patch) {
  Value* current = live.Find(name);
  if (patch.IsNull()) {
    live.Erase(name);
    return Status::Ok();
  }
  if (current != nullptr && current->kind() == patch.kind()) {
    return MergeBoth(*current, patch);
  }
  if (std::optional<Value> clean = Clean(patch)) {
    live.Set(name, *std::move(clean));
  } else {
    live.Erase(name);
  }
  return Status::Ok();
}

// Two values of one kind.
Status Merger::MergeBoth(Value& live, const Value& patch) {
  if (patch.IsObject()) {
    return MergeObject(live, patch);
  }
  const MergeSchema::List* list = patch.IsArray() ? schema_.ListAt(path_) : nullptr;
  if (list == nullptr) {
    live = *Clean(patch);
    return Status::Ok();
  }
  ASSIGN_OR_RETURN(MergeElements merged, MergeList(*list, std::move(live.items()), patch));
  live = Value::FromItems(internal::TakeValues(std::move(merged)));
  return Status::Ok();
}

Result<MergeElements> Merger::MergeList(const MergeSchema::List& list, Value::Items live,
                                        const Value& patch) {
  ASSIGN_OR_RETURN(const ListPatch taken, ReadPatch(patch, list));
  MergeElements merged;
  if (!taken.replace) {
    ASSIGN_OR_RETURN(merged, ReadList(std::move(live), list));
    std::erase_if(merged,
                  [&](const MergeElement& element) { return taken.deleted.contains(element.key); });
    if (list.merge_key.empty()) {
      internal::DropRepeated(merged);
    }
  }
  const KeyPositions standing = PositionsOf(merged);
  KeyPositions positions = standing;
  for (const MergeElement& element : taken.elements) {
    RETURN_IF_ERROR(MergeInto(merged, positions, element));
  }
  return OrderElements(std::move(merged), PositionsOf(taken.elements), standing);
}

Status Merger::MergeInto(MergeElements& merged, KeyPositions& positions,
                         const MergeElement& element) {
  const auto [place, added] = positions.try_emplace(element.key, merged.size());
  if (added) {
    merged.push_back({element.key, CleanReplacement(element.value)});
    return Status::Ok();
  }
  return element.value.IsObject() ? MergeObject(merged[place->second].value, element.value)
                                  : Status::Ok();
}

}  // namespace

Status ApplyStrategicMergePatch(Value& document, const Value& patch, const MergeSchema& schema) {
  if (!document.IsObject() || !patch.IsObject()) {
    return InvalidError(
        fmt::format("a strategic merge patch must be an object for an object, but here {} meets {}",
                    KindName(patch.kind()), KindName(document.kind())));
  }
  Value changed = document;
  RETURN_IF_ERROR(Merger(schema).MergeObject(changed, patch));
  document = std::move(changed);
  return Status::Ok();
}

}  // namespace hearth::json
