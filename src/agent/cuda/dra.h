#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/view.h"

namespace hearth::agent::cuda {

inline constexpr std::string_view kGpuDriver = "gpu.nvidia.com";

// One claim as a container may use it.
struct ClaimUse {
  std::string claim;                  // name of the ResourceClaim, in the pod's namespace
  std::vector<std::string> requests;  // only these of it; empty: all
};
// Which claims the container of the pod references; empty: none. kInvalid: the pod does not say
// which claim is meant. All here is pure.
Result<std::vector<ClaimUse>> ClaimsOfContainer(json::View pod, std::string_view container);

struct AllocatedDevice {
  std::string pool;
  std::string device;
  friend bool operator==(const AllocatedDevice&, const AllocatedDevice&) = default;
};
// The GPUs that the claim got for those requests, or their alternatives ("main/sub"). kUnavailable:
// it has none yet.
Result<std::vector<AllocatedDevice>> AllocatedGpus(json::View claim, const ClaimUse& use);

// The UUIDs that the node's slices tell of these devices. kNotFound names a device of which none
// does. Of a pool's generations only the newest counts.
Result<std::vector<std::string>> UuidsOfDevices(const std::vector<AllocatedDevice>& devices,
                                                const std::vector<json::View>& slices);

// The claimed GPUs in the order in which the container lists them. kInvalid: these are not the same
// GPUs, or one of the lists is none.
Result<std::vector<std::string>> InOrderOfContainer(const std::vector<std::string>& claimed,
                                                    const std::vector<std::string>& listed);

}  // namespace hearth::agent::cuda
