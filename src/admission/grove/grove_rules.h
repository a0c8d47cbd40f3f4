#pragma once

#include <vector>

#include "admission/rules/kind_rules.h"

namespace hearth::admission {

// PodCliqueSet and ClusterTopologyBinding.
const std::vector<KindRules>& GroveRules();

}  // namespace hearth::admission
