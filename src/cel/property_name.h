#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace hearth::cel {

// How Kubernetes names a property in expressions, where not every property name is an identifier:
// "__" becomes "__underscores__", '.' "__dot__", '-' "__dash__", '/' "__slash__", and a word the
// language reserves, such as namespace, "__namespace__". Nothing when the name cannot be reached:
// it is empty, starts with a digit or holds another character.
std::optional<std::string> EscapePropertyName(std::string_view name);

// The property an identifier stands for; nothing when it holds an unknown escape.
std::optional<std::string> UnescapePropertyName(std::string_view identifier);

}  // namespace hearth::cel
