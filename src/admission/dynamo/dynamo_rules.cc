#include "admission/dynamo/dynamo_rules.h"

#include "admission/dynamo/checkpoint_rules.h"
#include "admission/dynamo/component_deployment_rules.h"
#include "admission/dynamo/defaults.h"
#include "admission/dynamo/graph_rules.h"
#include "admission/dynamo/v1alpha1_rules.h"

namespace hearth::admission {

const std::vector<KindRules>& DynamoRules() {
  static const std::vector<KindRules> kRules = {
      {.group = "nvidia.com",
       .version = "v1beta1",
       .kind = "DynamoGraphDeployment",
       .set_defaults = dynamo::SetGraphDefaults,
       .validate = dynamo::ValidateGraph,
       .rules = dynamo::GraphRuleList(),
       .validate_deleted = dynamo::ValidateReadable},
      {.group = "nvidia.com",
       .version = "v1beta1",
       .kind = "DynamoComponentDeployment",
       .set_defaults = dynamo::SetComponentDeploymentDefaults,
       .validate = dynamo::ValidateComponentDeployment,
       .rules = dynamo::ComponentDeploymentRuleList(),
       .validate_deleted = dynamo::ValidateReadable},
      {.group = "nvidia.com",
       .version = "v1alpha1",
       .kind = "DynamoCheckpoint",
       .set_defaults = nullptr,
       .validate = dynamo::ValidateCheckpoint,
       .rules = dynamo::CheckpointRuleList()}};
  return kRules;
}

}  // namespace hearth::admission
