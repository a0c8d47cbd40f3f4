#pragma once

#include <cstddef>
#include <string>

#include "json/value.h"
#include "kube/model/names.h"

// Pods as a busy cluster has them: owned by a ReplicaSet, with probes, environment, resources, a
// projected volume and a sidecar. Everything follows from the number of the Pod, so every run makes
// the same ones. Pure.
namespace hearth::bench {

inline constexpr size_t kPodsPerApp = 100;

kube::ObjectKey PodKey(const std::string& name_space, size_t number);
// As the ReplicaSet controller would create it, already placed on a node.
json::Value PodBody(const std::string& name_space, size_t number);
// A merge patch of the status sub-resource, as the kubelet would report a running Pod.
json::Value PodStatusPatch(size_t number);
// A merge patch that says when it was sent, in nanoseconds since the epoch. Always of the same
// length.
json::Value SentPatch(int64_t sent_ns);

}  // namespace hearth::bench
