#pragma once

#include <string_view>

#include "schema/schema.h"

namespace hearth::schema {

// As a schema writes it, "integer"; empty for none.
std::string_view TypeName(Type type);

}  // namespace hearth::schema
