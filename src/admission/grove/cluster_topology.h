#pragma once

#include <vector>

#include "admission/rules/request.h"
#include "admission/rules/rule.h"
#include "json/value.h"

namespace hearth::admission::grove {

// What a ClusterTopologyBinding must keep to beyond its schema.
void CheckClusterTopology(const json::Value& binding, const Request& request, Findings& findings);
std::vector<const Rule*> ClusterTopologyRules();

}  // namespace hearth::admission::grove
