#pragma once

#include <string_view>

#include "schema/schema.h"

namespace hearth::schema::internal {

// What rules may know of every resource: apiVersion, kind, and of metadata the name and
// generateName. Null for any other property.
const Schema* ResourceProperty(std::string_view property);

}  // namespace hearth::schema::internal
