#pragma once

#include <string_view>

#include "base/result.h"
#include "json/internal/yaml_events.h"
#include "json/internal/yaml_scalar.h"

namespace hearth::json::internal {

// What a scalar means by its tag, or, without one, by its looks: plain text may be anything, quoted
// text is a string. kInvalid for a tag that is not YAML's own or does not fit.
Result<YamlScalar> ResolveScalar(const YamlEvent& event);

// Ok when a sequence or mapping carries no tag or one of `own_tags` ("map set").
Status CheckCollectionTag(const YamlEvent& event, std::string_view own_tags);

}  // namespace hearth::json::internal
