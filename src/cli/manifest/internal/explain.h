#pragma once

#include <string>

#include "admission/rules/rule.h"
#include "cli/manifest/internal/schema_at.h"

namespace hearth::manifest::internal {

// What a finding is about, in a few lines: the purpose of the rule, or the rule of the schema as it
// is written and what the field is for. Empty when there is nothing to say beyond the finding.
std::string Explain(const admission::Finding& finding, const SchemaPlace& place);

// Which fields there are where an unknown one stands; `place` is where it would be.
std::string ExplainUnknown(const SchemaPlace& place);

// The field that was probably meant; empty when none is near.
std::string SuggestField(std::string_view unknown, const SchemaPlace& place);

}  // namespace hearth::manifest::internal
