#pragma once

#include <vector>

#include "schema/field_error.h"
#include "schema/schema.h"

namespace hearth::schema {

// What a schema must be for the API server to take it in a CustomResourceDefinition: structural
// (every field has one type outside of allOf, anyOf, oneOf and not, and those only restrict
// values), patterns that compile, list and map types where they belong. Empty when it is.
std::vector<FieldError> CheckStructural(const Schema& root);

}  // namespace hearth::schema
