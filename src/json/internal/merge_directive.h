#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "json/value.h"

// What a strategic merge patch says besides the values it sets.
namespace hearth::json::internal {

inline constexpr std::string_view kPatchMember = "$patch";
inline constexpr std::string_view kRetainKeys = "$retainKeys";
inline constexpr std::string_view kSetOrder = "$setElementOrder";
inline constexpr std::string_view kDeleteFrom = "$deleteFromPrimitiveList";

enum class Directive { kNone, kReplace, kDelete };

// What $patch says; kNone without it and for "merge", which is what happens anyway. kInvalid for
// anything unknown.
Result<Directive> DirectiveOf(const Value& patch);

// "containers" for the member $setElementOrder/containers; nothing when the member is not this
// directive or names no list.
std::optional<std::string_view> ListNamedBy(std::string_view directive, std::string_view member);

bool IsDirectiveMember(std::string_view name);

// A value that only the patch has, without its directives and nulls; nothing when it was nothing
// but a directive.
std::optional<Value> Clean(const Value& value);

// The same, whatever the value's own $patch says.
Value CleanReplacement(Value patch);

}  // namespace hearth::json::internal
