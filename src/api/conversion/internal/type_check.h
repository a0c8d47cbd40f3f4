#pragma once

#include <string>

#include "api/conversion/internal/edit.h"
#include "schema/schema.h"

namespace hearth::api::conversion::internal {

// What a typed client could not read in the value an edit brings, "spec.pvcs[0].size: must be a
// quantity"; empty when all is well. Only kinds of values are looked at: what is null, missing or
// unknown hurts nobody, and what is allowed is the business of validation. `schema` is that of the
// tree the edit is for, and `root` its name.
std::string TypeError(const Edit& edit, const schema::Schema& schema, const std::string& root);

}  // namespace hearth::api::conversion::internal
