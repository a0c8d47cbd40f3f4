#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "json/value.h"
#include "schema/field_error.h"
#include "schema/internal/node.h"

// Objects within objects (x-kubernetes-embedded-resource): what they have without any schema.
namespace hearth::schema::internal {

// apiVersion and kind must be there and sound, and metadata as in any object.
void CheckEmbedded(const Node& node, const json::Value& value, const FieldPath& path,
                   ErrorList& errors);

// Reads their metadata as CoerceObjectMeta does. kInvalid when it, apiVersion or kind has a wrong
// type.
Status CoerceEmbedded(const Schema& schema, json::Value& value, const FieldPath& path,
                      std::vector<std::string>* unknown);

}  // namespace hearth::schema::internal
