#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "base/strings.h"
#include "json/internal/member_table.h"
#include "json/internal/same_value.h"
#include "json/patch.h"

namespace hearth::json {
namespace {

// Where in `to` a null stands that a merge patch would take for "remove"; empty when nowhere.
// Arrays are set as they are, whatever they hold.
std::string FindNullMember(const Value& to) {
  if (!to.IsObject()) {
    return "";
  }
  for (const auto& [name, value] : to.members()) {
    if (value.IsNull()) {
      return name;
    }
    if (const std::string below = FindNullMember(value); !below.empty()) {
      return fmt::format("{}.{}", name, below);
    }
  }
  return "";
}

Status NullMember(std::string_view path) {
  return Status(
      Code::kUnsupported,
      fmt::format("{} is set to null, which a merge patch takes for removing it; use a JSON "
                  "patch instead",
                  Excerpt(path, 256)));
}

// The patch that makes `to`, whatever stood there before.
Result<Value> Whole(const Value& to) {
  if (const std::string null = FindNullMember(to); !null.empty()) {
    return NullMember(null);
  }
  return to;
}

Result<Value> DiffObjects(const Value& from, const Value& to);

// The change of one member; nothing when it stays as it is.
Result<std::optional<Value>> DiffMember(const std::string& name, const Value* from,
                                        const Value& to) {
  if (from != nullptr && from->IsObject() && to.IsObject()) {
    ASSIGN_OR_RETURN(Value change, DiffObjects(*from, to).WithContext(Excerpt(name, 128)));
    return change.members().empty() ? std::nullopt : std::optional(std::move(change));
  }
  if (from != nullptr && internal::SameValue(*from, to)) {
    return std::optional<Value>();
  }
  if (to.IsNull()) {
    return NullMember(name);
  }
  ASSIGN_OR_RETURN(Value change, Whole(to).WithContext(Excerpt(name, 128)));
  return std::optional(std::move(change));
}

Result<Value> DiffObjects(const Value& from, const Value& to) {
  Value patch = Value::Object();
  const auto before = internal::IndexMembers(from);
  const auto after = internal::IndexMembers(to);
  for (const auto& [name, value] : to.members()) {
    const auto old = before.find(name);
    ASSIGN_OR_RETURN(std::optional<Value> change,
                     DiffMember(name, old == before.end() ? nullptr : old->second, value));
    if (change) {
      patch.members().emplace_back(name, *std::move(change));
    }
  }
  for (const auto& [name, value] : from.members()) {
    if (!after.contains(name)) {
      patch.members().emplace_back(name, Value());
    }
  }
  return patch;
}

}  // namespace

void ApplyMergePatch(Value& document, const Value& patch) {
  if (!patch.IsObject()) {
    document = patch;
    return;
  }
  if (!document.IsObject()) {
    document = Value::Object();
  }
  internal::MemberTable members(document);
  for (const auto& [name, change] : patch.members()) {
    if (change.IsNull()) {
      members.Erase(name);
      continue;
    }
    if (members.Find(name) == nullptr) {
      members.Set(name, Value());
    }
    ApplyMergePatch(*members.Find(name), change);
  }
}

Result<Value> DiffMergePatch(const Value& from, const Value& to) {
  return from.IsObject() && to.IsObject() ? DiffObjects(from, to) : Whole(to);
}

}  // namespace hearth::json
