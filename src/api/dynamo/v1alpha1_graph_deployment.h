#pragma once

#include "api/table/common.h"

namespace hearth::api::dynamo::v1alpha1 {

// The whole DynamoGraphDeployment. Only described, see v1alpha1_component.h.
Node GraphDeploymentRoot();

}  // namespace hearth::api::dynamo::v1alpha1
