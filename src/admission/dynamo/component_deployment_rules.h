#pragma once

#include "admission/dynamo/internal/finding_list.h"
#include "admission/rules/request.h"
#include "admission/rules/rule.h"
#include "json/value.h"

namespace hearth::admission::dynamo {

// A DynamoComponentDeployment, as v1beta1.
void ValidateComponentDeployment(const json::Value& object, const Request& request,
                                 Findings& findings);
RuleList ComponentDeploymentRuleList();

}  // namespace hearth::admission::dynamo
