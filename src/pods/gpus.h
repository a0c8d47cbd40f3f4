#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "json/value.h"

// GPUs that a container asks for by resource name: "nvidia.com/gpu", "nvidia.com/mig-1g.5gb".
namespace hearth::pods {

bool IsGpu(std::string_view resource);
// Of the limits, else of the requests; of several names the first. kInvalid: no whole number.
Result<int64_t> GpuCount(const json::Value& container);
// From limits and requests.
void RemoveGpus(json::Value& container);

}  // namespace hearth::pods
