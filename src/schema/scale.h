#pragma once

#include <vector>

#include "json/value.h"
#include "schema/crd.h"
#include "schema/field_error.h"

namespace hearth::schema {

// What the scale subresource asks of the object it is about: replica counts that are int32 and not
// negative, and a selector that is a string. What is not there is fine.
std::vector<FieldError> ValidateScaleSpec(const json::Value& object, const ScaleSubresource& scale);
std::vector<FieldError> ValidateScaleStatus(const json::Value& object,
                                            const ScaleSubresource& scale);

}  // namespace hearth::schema
