#include "schema/internal/value_walk.h"

#include "schema/internal/correlate.h"
#include "schema/internal/same.h"
#include "schema/internal/value_checks.h"

namespace hearth::schema::internal {

using json::Kind;
using json::Value;

int64_t ValueWalk::Check(const Node& node, const Value& value, const Value* old,
                         const FieldPath& path, ErrorList& errors) const {
  const ErrorList::Mark before = errors.mark();
  const int64_t checks = CheckAll(node, value, old, path, errors);
  if (old != nullptr && errors.Since(before) && Unchanged(node.schema, value, *old)) {
    errors.Forget(before);
  }
  return checks;
}

// The counts are the server's: one for each kind of check that applies, one for the value, and
// those of what is below.
int64_t ValueWalk::CheckAll(const Node& node, const Value& value, const Value* old,
                            const FieldPath& path, ErrorList& errors) const {
  if (value.IsNull()) {
    const bool fits = CheckType(node, value, path, errors);
    CheckEnum(node, value, path, errors);
    return fits ? 1 : 0;
  }
  int64_t checks = 1;
  if (node.HasType() || node.format != nullptr) {
    checks += CheckType(node, value, path, errors) ? 2 : 1;
  }
  checks += 2;
  if (node.HasAlternatives()) {
    checks += CheckAlternatives(node, value, path, errors);
  }
  switch (value.kind()) {
    case Kind::kString:
      CheckString(node, value.string(), path, errors);
      ++checks;
      if (node.format != nullptr) {
        CheckFormat(node, value.string(), path, errors);
        ++checks;
      }
      break;
    case Kind::kNumber:
      CheckNumber(node, value, path, errors);
      checks += 2;
      break;
    case Kind::kArray:
      checks += 2 + CheckItems(node, value, old, path, errors);
      break;
    case Kind::kObject:
      checks += 1 + CheckMembers(node, value, old, path, errors);
      break;
    default:
      break;
  }
  CheckEnum(node, value, path, errors);
  return checks + 1;
}

int64_t ValueWalk::CheckItems(const Node& node, const Value& list, const Value* old,
                              const FieldPath& path, ErrorList& errors) const {
  int64_t checks = 0;
  const Value::Items& items = list.items();
  if (node.items != nullptr) {
    const OldItems old_items(node.schema, old);
    for (size_t i = 0; i < items.size(); ++i) {
      checks += Check(*node.items, items[i], old_items.Find(items[i]), path.Item(i), errors);
    }
  }
  CheckItemCount(node, items.size(), path, errors);
  return checks;
}

int64_t ValueWalk::CheckMembers(const Node& node, const Value& object, const Value* old,
                                const FieldPath& path, ErrorList& errors) const {
  static const Value::Members kNone;
  const Value::Members& members = object.members();
  CheckMemberCount(node, members.size(), path, errors);
  int64_t checks = 0;
  const MemberIndex old_members(old != nullptr && old->IsObject() ? old->members() : kNone);
  for (const auto& [name, value] : members) {
    const Node* member = node.Property(name);
    const bool additional = member == nullptr;
    member = additional ? node.additional.get() : member;
    if (member != nullptr) {
      // Both sides of an update are converted to one version, so these have not really stayed.
      const bool type_meta = path.IsRoot() && (name == "apiVersion" || name == "kind");
      const Value* before = type_meta ? nullptr : old_members.Find(name);
      checks +=
          Check(*member, value, before, additional ? path.Key(name) : path.Child(name), errors);
    }
  }
  for (const std::string& name : node.schema.required) {
    if (object.Find(name) == nullptr && errors.Wants()) {
      FieldError error = Required(path);
      error.path = OpenApiPath(path.Child(name));
      errors.Add(std::move(error));
    }
  }
  return checks;
}

}  // namespace hearth::schema::internal
