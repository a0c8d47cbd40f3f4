#pragma once

#include "admission/rules/request.h"
#include "json/value.h"

namespace hearth::admission::grove {

// Fills in what a PodCliqueSet leaves open and no schema default can say. Members of the wrong kind
// are left alone. Twice is the same as once.
void SetDefaults(json::Value& set, const Request& request);

}  // namespace hearth::admission::grove
