#pragma once

#include <string_view>

#include "base/status.h"

namespace hearth::kube::internal {

// Label keys and values as the API server takes them; kInvalid says which rule is broken.
Status CheckLabelKey(std::string_view key);
Status CheckLabelValue(std::string_view value);

}  // namespace hearth::kube::internal
