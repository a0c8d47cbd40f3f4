#pragma once

#include <string_view>
#include <vector>

namespace hearth::admission::webhook {

enum class Task { kDefault, kValidate, kConvert, kRestorePod, kProtect };

// One address of the server. Each is what webhook configurations, ours and those that upstream's
// charts left behind, may name.
struct Endpoint {
  std::string_view path;
  Task task;
  // What requests there must be about; empty for conversion and protection, which take any kind.
  std::string_view group;
  std::string_view version;
  std::string_view kind;
};

const std::vector<Endpoint>& Endpoints();
// Null when there is none. `target` may carry a query (the API server adds ?timeout=10s).
const Endpoint* FindEndpoint(std::string_view target);

inline constexpr std::string_view kValidateComponentPath =
    "/validate-nvidia-com-v1alpha1-dynamocomponentdeployment";
inline constexpr std::string_view kValidateGraphPath =
    "/validate/nvidia.com/v1beta1/dynamographdeployments";
inline constexpr std::string_view kValidateCheckpointPath =
    "/validate-nvidia-com-v1alpha1-dynamocheckpoint";
inline constexpr std::string_view kDefaultGraphPath =
    "/mutate/nvidia.com/v1beta1/dynamographdeployments";
inline constexpr std::string_view kDefaultComponentPath =
    "/mutate-nvidia-com-v1beta1-dynamocomponentdeployment";
inline constexpr std::string_view kRestorePodPath = "/mutate-core-v1-pod-checkpoint-restore";
inline constexpr std::string_view kConvertPath = "/convert";
inline constexpr std::string_view kDefaultCliqueSetPath = "/webhooks/default-podcliqueset";
inline constexpr std::string_view kValidateCliqueSetPath = "/webhooks/validate-podcliqueset";
inline constexpr std::string_view kValidateTopologyPath = "/webhooks/validate-clustertopology";
inline constexpr std::string_view kProtectPath = "/webhooks/authorizer-webhook";

}  // namespace hearth::admission::webhook
