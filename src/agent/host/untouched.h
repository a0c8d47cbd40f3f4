#pragma once

#include <string_view>

namespace hearth::agent {

// The reason of a failure that came before anything was done to the container: it runs as if nobody
// had wanted anything of it.
inline constexpr std::string_view kUntouched = "ContainerUntouched";

}  // namespace hearth::agent
