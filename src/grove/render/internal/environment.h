#pragma once

#include <cstdint>
#include <vector>

#include "grove/model/facts.h"
#include "json/value.h"

// Environment variables by which pods know their place.
namespace hearth::grove::internal {

// Of a clique in a scaling group, whose templates have so many pods together. They stand in the
// PodClique's own pod spec.
std::vector<json::Value> GroupVariables(int32_t template_pods);

// Of every pod: set, clique, headless service, index.
std::vector<json::Value> PodVariables(const SetFacts& set, const CliqueFacts& clique, int32_t i);

// Puts them first in every container and init container of a pod's spec. Variables of the same
// names that stood there go; the others keep their order.
void PrependVariables(const std::vector<json::Value>& variables, json::Value& pod_spec);

}  // namespace hearth::grove::internal
