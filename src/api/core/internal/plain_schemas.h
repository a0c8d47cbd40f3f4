#pragma once

#include <string_view>

#include "schema/schema.h"

namespace hearth::api::core::internal {

// The schema of a type that has no fields of its own ("string", "quantity", "freeForm"), the same
// node each time. Null when it is none of those.
schema::SchemaPtr PlainSchema(std::string_view type);

}  // namespace hearth::api::core::internal
