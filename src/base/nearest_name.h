#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hearth {

// How many insertions, deletions, replacements and swaps of neighbours make `a` into `b`.
size_t EditDistance(std::string_view a, std::string_view b);

// The one of `known` that `wrong` was probably meant to be; empty when none is near.
std::string NearestName(std::string_view wrong, const std::vector<std::string>& known);

}  // namespace hearth
