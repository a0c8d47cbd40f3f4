#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/wait_limit.h"
#include "json/blob.h"

namespace hearth::agent::cuda {

// What the API server knows of a pod and its claims. Blocking; thread-safe, as all seams here.
class ClaimReader {
 public:
  virtual ~ClaimReader() = default;
  virtual Result<json::Blob> Pod(std::string_view name_space, std::string_view name,
                                 const WaitLimit& limit) = 0;
  virtual Result<json::Blob> Claim(std::string_view name_space, std::string_view name,
                                   const WaitLimit& limit) = 0;
  // Slices of the driver of GPUs.
  virtual Result<std::vector<json::Blob>> SlicesOfNode(std::string_view node,
                                                       const WaitLimit& limit) = 0;
};

// What the kubelet gave to a container.
class AssignedDevices {
 public:
  virtual ~AssignedDevices() = default;
  // Ids of that resource's devices; empty: none.
  virtual Result<std::vector<std::string>> Of(std::string_view name_space, std::string_view pod,
                                              std::string_view container, std::string_view resource,
                                              const WaitLimit& limit) = 0;
};

// What a container sees.
class ContainerGpus {
 public:
  virtual ~ContainerGpus() = default;
  // In the order in which CUDA numbers them by default: that of the bus.
  virtual Result<std::vector<std::string>> SeenBy(int pid, const WaitLimit& limit) = 0;
};

struct GpuQuestion {
  std::string pod_namespace;  // with the next two empty: no pod is behind it
  std::string pod;
  std::string container;
  std::string node;
  int pid = 0;                  // of the container's first process
  std::string visible_devices;  // NVIDIA_VISIBLE_DEVICES as the runtime was told
};

// Which GPUs a container has, in its order. Asks claims, then the kubelet, then the container, and
// last believes what was asked for; null seams are passed over. Once the container is known to use
// claims nothing else is believed: an error is the answer. kNotFound: nobody knows of any.
class GpuDiscovery {
 public:
  GpuDiscovery(ClaimReader* claims, AssignedDevices* kubelet, ContainerGpus* container)
      : claims_(claims), kubelet_(kubelet), container_(container) {}

  Result<std::vector<std::string>> Find(const GpuQuestion& question, const WaitLimit& limit);

 private:
  Result<std::vector<std::string>> ByClaims(const GpuQuestion& question, const WaitLimit& limit);
  Result<std::vector<std::string>> ByKubelet(const GpuQuestion& question, const WaitLimit& limit);
  Result<std::vector<std::string>> InContainer(const GpuQuestion& question, const WaitLimit& limit);

  ClaimReader* claims_;
  AssignedDevices* kubelet_;
  ContainerGpus* container_;
};

}  // namespace hearth::agent::cuda
