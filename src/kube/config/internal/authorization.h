#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace hearth::kube::internal {

// The value of the Authorization header for a token. kInvalid for one that cannot stand in a
// header; the message does not show it.
Result<std::string> BearerHeader(std::string_view token);

}  // namespace hearth::kube::internal
