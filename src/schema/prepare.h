#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "json/value.h"
#include "schema/schema.h"

namespace hearth::schema {

// What the API server makes of a custom resource before it looks whether it is valid, in its order:
// metadata is read, unknown fields are pruned, nulls that may not be are taken out, the metadata of
// embedded objects is read, defaults are filled in. The result are the places of unknown fields: a
// warning for each, or with strict field validation an error. kInvalid (a bad request, no findings
// by field) when apiVersion, kind or some metadata has a wrong type. Of very many places not all
// are returned; how many there are beyond is in `more` when it is not null.
Result<std::vector<std::string>> Prepare(json::Value& object, const Schema& schema,
                                         size_t* more = nullptr);

}  // namespace hearth::schema
