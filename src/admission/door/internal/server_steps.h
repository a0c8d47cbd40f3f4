#pragma once

#include <vector>

#include "json/value.h"
#include "schema/crd.h"
#include "schema/field_error.h"

// What an API server does with every object, whatever its kind. Objects are prepared.
namespace hearth::admission::internal {

// A name for an object that asks for one, as long as the server's own would be.
void GenerateName(json::Value& object);

// What the server writes anew, whatever a request says and however wrong it is.
void DropServerMetadata(json::Value& object);

// What only the server writes and a request may leave out.
void KeepServerMetadata(json::Value& object, const json::Value& old);

// Status has a door of its own where there is one; this one keeps what was there, or nothing.
// `old` is null on a create.
void KeepStatus(json::Value& object, const json::Value* old,
                const schema::ResourceVersion& version);

std::vector<schema::FieldError> CheckMetadata(const json::Value& object, const json::Value* old,
                                              bool namespaced);

}  // namespace hearth::admission::internal
