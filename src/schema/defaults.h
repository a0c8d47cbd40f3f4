#pragma once

#include "json/value.h"
#include "schema/schema.h"

namespace hearth::schema {

// Fills in defaults as the API server does: a property that is not there, or is null and may not
// be, gets its default; so do values of maps and items of lists that are null and may not be. What
// is within a default is filled in as well; nothing is made where the parent is not there.
void ApplyDefaults(json::Value& object, const Schema& schema);

}  // namespace hearth::schema
