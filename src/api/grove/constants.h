#pragma once

#include <string_view>

// Names that Grove's objects, their readers and their users agree on.
namespace hearth::api::grove {

inline constexpr std::string_view kGroup = "grove.io";
inline constexpr std::string_view kSchedulerGroup = "scheduler.grove.io";
inline constexpr std::string_view kVersion = "v1alpha1";

// Condition types.
inline constexpr std::string_view kMinAvailableBreached = "MinAvailableBreached";
inline constexpr std::string_view kPodCliqueScheduled = "PodCliqueScheduled";
inline constexpr std::string_view kGangTerminationInProgress = "GangTerminationInProgress";
inline constexpr std::string_view kTopologyLevelsUnavailable = "TopologyLevelsUnavailable";
inline constexpr std::string_view kSchedulerTopologyDrift = "SchedulerTopologyDrift";
inline constexpr std::string_view kResourceClaimsReady = "ResourceClaimsReady";  // ours
inline constexpr std::string_view kReplicaFailure = "ReplicaFailure";            // ours
inline constexpr std::string_view kInitialized = "Initialized";                  // of PodGangs
inline constexpr std::string_view kScheduled = "Scheduled";                      // of PodGangs

}  // namespace hearth::api::grove
