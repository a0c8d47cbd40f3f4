#pragma once

#include "schema/field_error.h"
#include "schema/schema.h"

// Parts of CheckStructural: what Kubernetes' own members of a schema ask of the rest of it.
namespace hearth::schema::internal {

// x-kubernetes-list-type, x-kubernetes-list-map-keys and x-kubernetes-map-type.
void CheckListAndMap(const Schema& schema, const FieldPath& path, ErrorList& errors);

// apiVersion, kind and metadata of an object or an embedded one, if the schema speaks of them.
void CheckMetaProperties(const Schema& schema, bool root, const FieldPath& path, ErrorList& errors);

}  // namespace hearth::schema::internal
