#pragma once

#include "json/value.h"
#include "schema/field_error.h"
#include "schema/internal/node.h"

namespace hearth::schema::internal {

// Items of lists of type set, and keys of lists of type map, must each be there once. Linear in the
// size of the lists.
void CheckListTypes(const Node& node, const json::Value& value, const FieldPath& path,
                    ErrorList& errors);

}  // namespace hearth::schema::internal
