#pragma once

#include <memory>
#include <string>

#include "agent/cuda/gpu_discovery.h"
#include "base/clock.h"

namespace hearth::agent {

struct PodResourcesOptions {
  std::string socket = "/var/lib/kubelet/pod-resources/kubelet.sock";
  Duration call_timeout = std::chrono::seconds(10);
};

// Asks the kubelet of this node which devices it gave to containers. Connects when first asked;
// kUnavailable while it is not there, kNotFound when it knows no such container. `clock` outlives
// it.
std::unique_ptr<cuda::AssignedDevices> MakePodResources(PodResourcesOptions options, Clock& clock);

}  // namespace hearth::agent
