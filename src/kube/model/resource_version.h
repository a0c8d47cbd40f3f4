#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace hearth::kube {

// A resource version as the integer it is: decimal, no sign, no leading zero, not "0". Nothing for
// anything else; such a version can only be compared for equality.
std::optional<uint64_t> ParseResourceVersion(std::string_view text);

}  // namespace hearth::kube
