#include "admission/webhook/endpoints.h"

#include <algorithm>

namespace hearth::admission::webhook {
namespace {

constexpr std::string_view kDynamo = "nvidia.com";
constexpr std::string_view kGrove = "grove.io";
constexpr std::string_view kGraph = "DynamoGraphDeployment";
constexpr std::string_view kComponent = "DynamoComponentDeployment";

}  // namespace

const std::vector<Endpoint>& Endpoints() {
  static const std::vector<Endpoint> kEndpoints = {
      {kValidateComponentPath, Task::kValidate, kDynamo, "v1alpha1", kComponent},
      {kValidateGraphPath, Task::kValidate, kDynamo, "v1beta1", kGraph},
      {kValidateCheckpointPath, Task::kValidate, kDynamo, "v1alpha1", "DynamoCheckpoint"},
      {kDefaultGraphPath, Task::kDefault, kDynamo, "v1beta1", kGraph},
      {kDefaultComponentPath, Task::kDefault, kDynamo, "v1beta1", kComponent},
      {kRestorePodPath, Task::kRestorePod, "", "v1", "Pod"},
      {kConvertPath, Task::kConvert, "", "", ""},
      {kDefaultCliqueSetPath, Task::kDefault, kGrove, "v1alpha1", "PodCliqueSet"},
      {kValidateCliqueSetPath, Task::kValidate, kGrove, "v1alpha1", "PodCliqueSet"},
      {kValidateTopologyPath, Task::kValidate, kGrove, "v1alpha1", "ClusterTopologyBinding"},
      {kProtectPath, Task::kProtect, "", "", ""},
      // Older configurations name these.
      {"/validate-nvidia-com-v1alpha1-dynamographdeployment", Task::kValidate, kDynamo, "v1alpha1",
       kGraph},
      {"/mutate-nvidia-com-v1alpha1-dynamographdeployment", Task::kDefault, kDynamo, "v1alpha1",
       kGraph},
  };
  return kEndpoints;
}

const Endpoint* FindEndpoint(std::string_view target) {
  const std::string_view path = target.substr(0, target.find('?'));
  const auto& all = Endpoints();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const Endpoint& endpoint) { return endpoint.path == path; });
  return found != all.end() ? &*found : nullptr;
}

}  // namespace hearth::admission::webhook
