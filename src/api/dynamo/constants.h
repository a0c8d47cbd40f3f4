#pragma once

#include <string_view>

// Names that Dynamo's objects, their readers and their users agree on.
namespace hearth::api::dynamo {

// Annotations of a graph.
inline constexpr std::string_view kEnableGrove = "nvidia.com/enable-grove";
inline constexpr std::string_view kGroveUpdateStrategy = "nvidia.com/grove-update-strategy";
inline constexpr std::string_view kDiscoveryMode = "nvidia.com/dynamo-kube-discovery-mode";
inline constexpr std::string_view kOriginVersion = "nvidia.com/dynamo-operator-origin-version";
inline constexpr std::string_view kExecutorBackend = "nvidia.com/vllm-distributed-executor-backend";

// Annotations of a checkpoint.
inline constexpr std::string_view kAutoCheckpoint = "nvidia.com/dynamo-auto-checkpoint";
inline constexpr std::string_view kArtifactVersion = "nvidia.com/snapshot-artifact-version";

// Containers.
inline constexpr std::string_view kMainContainer = "main";
inline constexpr std::string_view kGmsServer = "gms-server";
inline constexpr std::string_view kGmsLoader = "gms-loader";
inline constexpr std::string_view kGmsSaver = "gms-saver";
inline constexpr std::string_view kFrontendSidecar = "sidecar-frontend";  // what v1alpha1 injects
inline constexpr std::string_view kEngines[] = {"engine-0", "engine-1"};  // of intra-pod failover

// How containers of one pod reach its GPU memory service.
inline constexpr std::string_view kGpuClaim = "intrapod-shared-gpu";
inline constexpr std::string_view kGmsVolume = "gms-intrapod-control";
inline constexpr std::string_view kGmsMountPath = "/gms-intrapod-control";
inline constexpr std::string_view kGmsSharedMountPath = "/run/gms/shared";  // mode InterPod
inline constexpr std::string_view kGmsSocketDir = "GMS_SOCKET_DIR";

}  // namespace hearth::api::dynamo
