#pragma once

#include <vector>

#include "schema/field_error.h"
#include "schema/internal/node.h"

namespace hearth::schema::internal {

// Defaults of a schema that would not pass it or have members that it does not know.
std::vector<FieldError> CheckDefaults(const Node& root);

}  // namespace hearth::schema::internal
