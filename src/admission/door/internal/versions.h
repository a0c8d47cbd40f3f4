#pragma once

#include <string_view>

#include "base/result.h"
#include "json/value.h"
#include "schema/crd.h"

namespace hearth::admission::internal {

// Null when the kind has no such version.
const schema::ResourceVersion* FindVersion(const schema::ResourceDefinition& definition,
                                           std::string_view version);

// "v1beta1" of "nvidia.com/v1beta1".
std::string_view VersionOf(const json::Value& object);

// The object as `version` says it, with that version's defaults. Expects that it was prepared in
// its own. kInvalid, kNotFound: see api/conversion/convert.h.
Result<json::Value> InVersion(const json::Value& object,
                              const schema::ResourceDefinition& definition,
                              std::string_view version);

}  // namespace hearth::admission::internal
