#pragma once

#include <string_view>

namespace hearth::admission::dynamo {

// A semantic version as Go programs read it: a leading v and missing minor and patch numbers are
// fine, so are -pre.release and +build.
bool IsSemver(std::string_view text);

}  // namespace hearth::admission::dynamo
