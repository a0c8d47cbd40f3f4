#pragma once

#include "json/value.h"
#include "schema/schema.h"

namespace hearth::api::core {

// A schema of TypeSchema() as a CustomResourceDefinition carries it: only the members that those
// have. For sending one to a real server and for measuring it.
json::Value SchemaJson(const schema::Schema& schema);

}  // namespace hearth::api::core
