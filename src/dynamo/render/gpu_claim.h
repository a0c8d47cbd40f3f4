#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "json/value.h"

// GPUs through claims of Dynamic Resource Allocation instead of by resource name, so that several
// containers share the same devices.
namespace hearth::dynamo {

inline constexpr std::string_view kDefaultDeviceClass = "gpu.nvidia.com";

// spec of a ResourceClaimTemplate: so many devices of a class in one request of this name.
json::Value ClaimTemplateSpec(std::string_view request, std::string_view device_class,
                              int64_t count);
// Eight hex digits of what the spec says.
std::string ClaimContentHash(const json::Value& spec);

// Gives the container the pod's GPU claim instead of the GPUs it names: its resource names go, the
// pod names `claim_template`, and the pod tolerates nodes that are kept for GPUs. Other claims,
// resources and tolerations stay; twice is once. kInvalid: there is no such container.
Status UseGpuClaim(json::Value& pod_spec, std::string_view container,
                   std::string_view claim_template);
// The part of it that one container needs.
void AddClaimTo(json::Value& container);
void TolerateGpuNodes(json::Value& pod_spec);

}  // namespace hearth::dynamo
