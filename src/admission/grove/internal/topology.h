#pragma once

#include "admission/grove/internal/set_outline.h"
#include "admission/rules/request.h"
#include "admission/rules/rule.h"

namespace hearth::admission::grove {

// What a new set, or one whose topologyName was just added, must say of its topology.
void CheckTopology(const SetOutline& set, const Setup& setup, Findings& findings);

}  // namespace hearth::admission::grove
