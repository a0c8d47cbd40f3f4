#pragma once

#include "admission/dynamo/internal/finding_list.h"
#include "admission/rules/request.h"
#include "admission/rules/rule.h"
#include "json/value.h"

namespace hearth::admission::dynamo {

// A DynamoGraphDeployment, as v1beta1.
void ValidateGraph(const json::Value& object, const Request& request, Findings& findings);
RuleList GraphRuleList();

}  // namespace hearth::admission::dynamo
