#include "agent/cuda/device_map.h"

#include <fmt/format.h>

#include <algorithm>

#include "agent/cuda/gpu_uuid.h"
#include "base/strings.h"

namespace hearth::agent::cuda {
namespace {

using Uuids = std::vector<std::string>;

bool Has(const Uuids& uuids, const std::string& uuid) {
  return std::find(uuids.begin(), uuids.end(), uuid) != uuids.end();
}

Status CheckCounts(const Uuids& source, const Uuids& target) {
  if (source.empty()) {
    return InvalidError("the artifact names no GPUs of its source");
  }
  if (source.size() != target.size()) {
    return InvalidError(fmt::format(
        "captured with {} GPU{} ({}), and here are {} ({}); restore where there are as many",
        source.size(), source.size() == 1 ? "" : "s", Join(source, ", "), target.size(),
        target.empty() ? "none" : Join(target, ", ")));
  }
  return Status::Ok();
}

}  // namespace

Result<DeviceMap> PlanDeviceMap(const Uuids& source, const Uuids& target) {
  ASSIGN_OR_RETURN(const Uuids from, CanonicalGpuUuids(source).WithContext("GPUs of the source"));
  ASSIGN_OR_RETURN(const Uuids to, CanonicalGpuUuids(target).WithContext("GPUs of the target"));
  RETURN_IF_ERROR(CheckCounts(from, to));
  Uuids free;
  std::copy_if(to.begin(), to.end(), std::back_inserter(free),
               [&](const std::string& uuid) { return !Has(from, uuid); });
  if (free.empty()) {
    return DeviceMap();
  }
  DeviceMap map;
  auto next = free.begin();
  for (const std::string& uuid : from) {
    map.emplace_back(uuid, Has(to, uuid) ? uuid : *next++);
  }
  return map;
}

std::string FormatDeviceMap(const DeviceMap& map) {
  std::vector<std::string> pairs;
  for (const auto& [from, to] : map) {
    pairs.push_back(from + "=" + to);
  }
  return Join(pairs, ",");
}

}  // namespace hearth::agent::cuda
