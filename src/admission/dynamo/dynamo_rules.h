#pragma once

#include <vector>

#include "admission/rules/kind_rules.h"

namespace hearth::admission {

// DynamoGraphDeployment, DynamoComponentDeployment (both as v1beta1) and DynamoCheckpoint.
const std::vector<KindRules>& DynamoRules();

}  // namespace hearth::admission
