#pragma once

#include <string_view>

// What pods and objects of a graph are marked with. The keys are upstream's: workloads, dashboards
// and Grove read them.
namespace hearth::dynamo {

// ---- Labels.
inline constexpr std::string_view kSelectorLabel = "nvidia.com/selector";
inline constexpr std::string_view kGraphLabel = "nvidia.com/dynamo-graph-deployment-name";
inline constexpr std::string_view kComponentLabel = "nvidia.com/dynamo-component";
inline constexpr std::string_view kNamespaceLabel = "nvidia.com/dynamo-namespace";
inline constexpr std::string_view kTypeLabel = "nvidia.com/dynamo-component-type";
inline constexpr std::string_view kSubTypeLabel = "nvidia.com/dynamo-sub-component-type";
inline constexpr std::string_view kBaseModelHashLabel = "nvidia.com/dynamo-base-model-hash";
inline constexpr std::string_view kDiscoveryBackendLabel = "nvidia.com/dynamo-discovery-backend";
inline constexpr std::string_view kDiscoveryEnabledLabel = "nvidia.com/dynamo-discovery-enabled";
inline constexpr std::string_view kWorkerHashLabel = "nvidia.com/dynamo-worker-hash";
inline constexpr std::string_view kMetricsLabel = "nvidia.com/metrics-enabled";
inline constexpr std::string_view kComponentPodLabel = "nvidia.com/dynamo-component-pod";
// Engines of one rank that go together when one of them ends.
inline constexpr std::string_view kFailoverMemberLabel =
    "nvidia.com/dynamo-failover-engine-group-member";

// ---- Annotations that a graph hands on to its pods unless they have them.
inline constexpr std::string_view kEnableMetricsAnnotation = "nvidia.com/enable-metrics";
inline constexpr std::string_view kDiscoveryBackendAnnotation =
    "nvidia.com/dynamo-discovery-backend";
inline constexpr std::string_view kNoPullSecretsAnnotation =
    "nvidia.com/disable-image-pull-secret-discovery";
inline constexpr std::string_view kRestartAnnotation = "nvidia.com/restartAt";
inline constexpr std::string_view kKaiQueueAnnotation = "nvidia.com/kai-scheduler-queue";

// ---- Annotations of graphs that the operator keeps for itself.
// By which workers of the generation that runs find each other; upstream reads the first as well.
inline constexpr std::string_view kWorkerHashAnnotation = "nvidia.com/current-worker-hash-v2";
inline constexpr std::string_view kOldWorkerHashAnnotation = "nvidia.com/current-worker-hash";
// What that generation is made of, by our own hash.
inline constexpr std::string_view kWorkerContentAnnotation = "hearth.dev/worker-content";

// ---- Annotations that say what becomes of a checkpoint that fails. Of a graph, handed on to its
// pods, or of a component's pod template: "ColdStart" lets pods that would wait for it start cold.
inline constexpr std::string_view kFallbackAnnotation = "hearth.dev/checkpoint-fallback";
inline constexpr std::string_view kColdStart = "ColdStart";
// Of a checkpoint: how often it is captured anew, and what became of earlier tries.
inline constexpr std::string_view kRetriesAnnotation = "hearth.dev/checkpoint-retries";
inline constexpr std::string_view kTriesAnnotation = "hearth.dev/checkpoint-tries";

// ---- Annotation of automatic checkpoints: Delete or Retain.
inline constexpr std::string_view kDeletionPolicyAnnotation =
    "nvidia.com/dynamo-checkpoint-deletion-policy";

// ---- Finalizer of graphs, components and checkpoints.
inline constexpr std::string_view kFinalizer = "nvidia.com/finalizer";

// ---- Values.
inline constexpr std::string_view kKubernetesDiscovery = "kubernetes";
inline constexpr std::string_view kEtcdDiscovery = "etcd";
inline constexpr std::string_view kContainerDiscoveryMode = "container";

}  // namespace hearth::dynamo
