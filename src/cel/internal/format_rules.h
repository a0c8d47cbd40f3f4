#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cel/value.h"

namespace hearth::cel::internal {

// A format Kubernetes has a name for, such as dns1123Label.
struct FormatRule {
  std::string_view name;
  // What is wrong with the text, nothing when it is fine.
  std::vector<std::string> (*validate)(std::string_view);
  // How long the pattern is, or one that would do; it sets the cost.
  size_t pattern_size;
};

// Null when there is no such format.
const FormatRule* FindFormat(std::string_view name);
// Of a value of kind kFormat.
size_t FormatPatternSize(const Value& format);

}  // namespace hearth::cel::internal
