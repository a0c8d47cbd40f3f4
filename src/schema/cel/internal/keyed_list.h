#pragma once

#include "cel/value.h"
#include "json/value.h"
#include "schema/schema.h"

namespace hearth::schema::internal {

// A list by its list type: atomic ones as they are; sets and maps are equal in any order, and +
// keeps one of each.
cel::Value ListValue(const json::Value& value, const Schema& schema);

}  // namespace hearth::schema::internal
