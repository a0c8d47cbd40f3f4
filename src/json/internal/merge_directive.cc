#include "json/internal/merge_directive.h"

#include <fmt/format.h>

#include <utility>

#include "base/strings.h"

namespace hearth::json::internal {
namespace {

bool IsMerge(const Value& directive) { return directive.StringOr("") == "merge"; }

Value CleanArray(const Value& array) {
  Value::Items items;
  for (const Value& item : array.items()) {
    if (std::optional<Value> clean = Clean(item)) {
      items.push_back(*std::move(clean));
    }
  }
  return Value::FromItems(std::move(items));
}

Value CleanObject(const Value& object) {
  Value::Members members;
  for (const auto& [name, child] : object.members()) {
    if (child.IsNull() || IsDirectiveMember(name)) {
      continue;
    }
    if (std::optional<Value> clean = Clean(child)) {
      members.emplace_back(name, *std::move(clean));
    }
  }
  return Value::FromMembers(std::move(members));
}

}  // namespace

Result<Directive> DirectiveOf(const Value& patch) {
  const Value* directive = patch.Find(kPatchMember);
  if (directive == nullptr || IsMerge(*directive)) {
    return Directive::kNone;
  }
  const std::string text = directive->StringOr("");
  if (text == "replace") {
    return Directive::kReplace;
  }
  if (text == "delete") {
    return Directive::kDelete;
  }
  return InvalidError(fmt::format("$patch must be replace, delete or merge, but is {}",
                                  Excerpt(directive->Write(), 64)));
}

std::optional<std::string_view> ListNamedBy(std::string_view directive, std::string_view member) {
  if (!member.starts_with(directive) || member.size() == directive.size() ||
      member[directive.size()] != '/') {
    return std::nullopt;
  }
  return member.substr(directive.size() + 1);
}

bool IsDirectiveMember(std::string_view name) {
  return name == kPatchMember || name == kRetainKeys || name.starts_with(kSetOrder) ||
         name.starts_with(kDeleteFrom);
}

std::optional<Value> Clean(const Value& value) {
  if (value.IsArray()) {
    return CleanArray(value);
  }
  if (!value.IsObject()) {
    return value;
  }
  const Value* directive = value.Find(kPatchMember);
  if (directive != nullptr && !IsMerge(*directive)) {
    return std::nullopt;
  }
  return CleanObject(value);
}

Value CleanReplacement(Value patch) {
  patch.Erase(kPatchMember);
  return *Clean(patch);
}

}  // namespace hearth::json::internal
