#pragma once

#include "cel/value.h"
#include "json/value.h"
#include "schema/schema.h"

namespace hearth::schema {

// A custom resource as rules see it: typed by its schema, as the API server does. Numbers are int
// or double by the schema, not by how they are written; date-time is a timestamp, duration a
// duration, byte is bytes; only declared properties exist, under escaped names; lists of type set
// and map are equal in any order and + merges them. Copies nothing: value and schema must outlive
// it. Of a resource (the root or an embedded one) also apiVersion, kind, metadata.name and
// generateName are known.
cel::Value ToCel(const json::Value& value, const Schema& schema, bool is_resource = false);

}  // namespace hearth::schema
