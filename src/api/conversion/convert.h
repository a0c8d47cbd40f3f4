#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "json/value.h"

namespace hearth::api::conversion {

// The version both kinds are stored in and rules speak of.
inline constexpr std::string_view kHubVersion = "v1beta1";

// The reason of an error about what an annotation keeps, and of one about what it would have to.
inline constexpr std::string_view kUnkeptReason = "KeptFieldsTooMany";
inline constexpr std::string_view kTooMuchToKeepReason = "TooMuchToKeep";
inline constexpr std::string_view kNamesClashReason = "NamesClash";

// The object as `version` ("v1alpha1", "v1beta1") of nvidia.com has it. Knows
// DynamoGraphDeployment and DynamoComponentDeployment. Lossless: what the other version cannot say
// is kept in at most two annotations (see docs/conversion.md) and comes back from there, unless the
// object was changed at that place meanwhile: what stands in the object always wins.
//
// kInvalid names the place when the object cannot be said in that version (two components of one
// name, with kNamesClashReason) or is not what its kind promises; with kUnkeptReason when what an
// annotation keeps takes too much work to put back; with kTooMuchToKeepReason when annotations
// would have more bytes than an API server takes. Of a spec nothing is dropped for that; a status,
// which controllers write anew and nobody checks, never fails: what cannot be kept of it is given
// up. kNotFound: another kind or version.
Result<json::Value> Convert(const json::Value& object, std::string_view version);

struct V1alpha1Place {
  std::string path;
  // What stands there; null when nothing does, or when the place is only near.
  const json::Value* value = nullptr;
};

// Where in the v1alpha1 object the user finds what `path` ("spec.components[2].podTemplate.spec")
// says of its converted v1beta1 form: the nearest place that is there, spec.services[worker] say,
// or would be there if the user had written it.
V1alpha1Place FindInV1alpha1(const json::Value& v1alpha1, const json::Value& v1beta1,
                             std::string_view path);

}  // namespace hearth::api::conversion
