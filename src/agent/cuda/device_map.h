#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace hearth::agent::cuda {

// From each GPU at the capture to the one that takes its place. Empty: all stay what they were, and
// the driver need not move anything.
using DeviceMap = std::vector<std::pair<std::string, std::string>>;

// GPUs that are on both sides stay themselves; the others pair in their order. In the order of
// `source`. Pure. kInvalid: the numbers differ, there are none, or a list is not of UUIDs.
Result<DeviceMap> PlanDeviceMap(const std::vector<std::string>& source,
                                const std::vector<std::string>& target);

// "GPU-a=GPU-b,GPU-c=GPU-d", as cuda-checkpoint takes it.
std::string FormatDeviceMap(const DeviceMap& map);

}  // namespace hearth::agent::cuda
