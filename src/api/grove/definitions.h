#pragma once

#include <vector>

#include "schema/crd.h"

namespace hearth::api::grove {

// Grove's kinds, as their CustomResourceDefinitions tell the API server.
std::vector<schema::ResourceDefinition> Definitions();

}  // namespace hearth::api::grove
