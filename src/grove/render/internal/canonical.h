#pragma once

#include <string_view>

#include "json/value.h"

// Values of Kubernetes' own types written in one way only.
namespace hearth::grove::internal {

// Quantities as an API server writes them ("1000m" becomes "1"), so that what is applied is what is
// read back. `type` is that of the value, "core.v1.PodSpec". CHECKs the type.
void CanonicalizeQuantities(std::string_view type, json::Value& value);

// Further, what means the same becomes the same: lists that are keyed are sorted by their keys, and
// what is empty or null where that says nothing goes. Order stays where it has a meaning: that of
// init containers, and that of environment variables which refer to others. An empty object stays,
// too: `emptyDir: {}` and an empty selector say something.
void Canonicalize(std::string_view type, json::Value& value);

}  // namespace hearth::grove::internal
