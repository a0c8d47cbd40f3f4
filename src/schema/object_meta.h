#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "json/value.h"
#include "schema/field_error.h"

// The metadata of an object, which the API server knows without any schema.
namespace hearth::schema {

// Reads metadata as the server does: members it does not know and empty ones fall away, times are
// written in their usual form. kInvalid when something has the wrong type. The places of unknown
// members are added to `unknown` ("metadata.foo") unless it is null.
Result<json::Value> CoerceObjectMeta(const json::Value& metadata, const FieldPath& path,
                                     std::vector<std::string>* unknown);

struct ObjectMetaRules {
  bool namespaced = true;
  // An object within another one: any name that can stand in a URL will do, none as well, and a
  // namespace may be there or not.
  bool embedded = false;
};

// Names, labels, annotations (256 KiB in all), owners, finalizers, managers of an object that is
// created. Expects what CoerceObjectMeta gave.
std::vector<FieldError> ValidateObjectMeta(const json::Value& metadata,
                                           const ObjectMetaRules& rules,
                                           const FieldPath& path = FieldPath::Base("metadata"));
// Of one that is updated: what must not change, and what is checked again. Expects that the
// server's own fields (uid, times, generation) were filled in from `old` where the request left
// them out.
std::vector<FieldError> ValidateObjectMetaUpdate(
    const json::Value& metadata, const json::Value& old,
    const FieldPath& path = FieldPath::Base("metadata"));

}  // namespace hearth::schema
