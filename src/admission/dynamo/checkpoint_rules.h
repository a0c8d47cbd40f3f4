#pragma once

#include "admission/dynamo/internal/finding_list.h"
#include "admission/rules/request.h"
#include "admission/rules/rule.h"
#include "json/value.h"

namespace hearth::admission::dynamo {

// A DynamoCheckpoint.
void ValidateCheckpoint(const json::Value& object, const Request& request, Findings& findings);
RuleList CheckpointRuleList();

}  // namespace hearth::admission::dynamo
