#include "agent/cuda/dra.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "agent/cuda/gpu_uuid.h"
#include "base/strings.h"

namespace hearth::agent::cuda {
namespace {

using json::View;

View Named(View list, std::string_view name) {
  for (const View item : list.items()) {
    if (item["name"].Equals(name)) {
      return item;
    }
  }
  return {};
}

View FindContainer(View pod, std::string_view container) {
  for (const char* const list : {"containers", "initContainers"}) {
    if (const View found = Named(pod["spec"][list], container); found.exists()) {
      return found;
    }
  }
  return {};
}

// The name of the claim behind a pod's own name of it; empty when the pod needs none.
Result<std::string> ClaimName(View pod, const std::string& reference) {
  const View declared = Named(pod["spec"]["resourceClaims"], reference);
  if (!declared.exists()) {
    return InvalidError(fmt::format("the pod has no resource claim '{}'", reference));
  }
  if (const auto name = declared["resourceClaimName"].String()) {
    return *name;
  }
  // Made from a template: the pod's status tells what it was called.
  const View made = Named(pod["status"]["resourceClaimStatuses"], reference);
  if (!made.exists()) {
    return InvalidError(
        fmt::format("the pod's status does not tell the claim made for '{}'", reference));
  }
  return made["resourceClaimName"].StringOr("");
}

bool Wanted(const ClaimUse& use, std::string_view request) {
  return use.requests.empty() ||
         std::any_of(use.requests.begin(), use.requests.end(), [&](const std::string& wanted) {
           return request == wanted || request.starts_with(wanted + "/");
         });
}

void AddUse(std::vector<ClaimUse>& uses, std::string claim, const std::string& request) {
  const auto known = std::find_if(uses.begin(), uses.end(),
                                  [&](const ClaimUse& use) { return use.claim == claim; });
  if (known == uses.end()) {
    uses.push_back({std::move(claim), request.empty() ? std::vector<std::string>()
                                                      : std::vector<std::string>{request}});
  } else if (request.empty() || known->requests.empty()) {
    known->requests.clear();
  } else {
    known->requests.push_back(request);
  }
}

std::string UuidOf(View device) {
  // Older versions of the API keep the attributes one level deeper.
  for (const View attributes : {device["attributes"], device["basic"]["attributes"]}) {
    for (const char* const name : {"uuid", "gpu.nvidia.com/uuid"}) {
      if (const auto uuid = attributes[name]["string"].String()) {
        return *uuid;
      }
    }
  }
  return "";
}

std::map<std::string, int64_t> NewestGenerations(const std::vector<View>& slices) {
  std::map<std::string, int64_t> newest;
  for (const View slice : slices) {
    const View pool = slice["spec"]["pool"];
    int64_t& known = newest[pool["name"].StringOr("")];
    known = std::max(known, pool["generation"].Int().value_or(0));
  }
  return newest;
}

Status Mismatch(std::string_view what, const std::vector<std::string>& claimed,
                const std::vector<std::string>& listed) {
  return InvalidError(fmt::format("{}: claimed are {}, the container lists {}", what,
                                  Join(claimed, ", "), Join(listed, ", ")));
}

}  // namespace

Result<std::vector<ClaimUse>> ClaimsOfContainer(View pod, std::string_view container) {
  const View found = FindContainer(pod, container);
  if (!found.exists()) {
    return InvalidError(fmt::format("the pod has no container '{}'", container));
  }
  std::vector<ClaimUse> uses;
  for (const View reference : found["resources"]["claims"].items()) {
    ASSIGN_OR_RETURN(std::string claim, ClaimName(pod, reference["name"].StringOr("")));
    if (!claim.empty()) {
      AddUse(uses, std::move(claim), reference["request"].StringOr(""));
    }
  }
  return uses;
}

Result<std::vector<AllocatedDevice>> AllocatedGpus(View claim, const ClaimUse& use) {
  const View allocation = claim["status"]["allocation"];
  if (!allocation.IsObject()) {
    return UnavailableError(fmt::format("resource claim {} is not allocated", use.claim));
  }
  std::vector<AllocatedDevice> devices;
  for (const View result : allocation["devices"]["results"].items()) {
    if (result["driver"].Equals(kGpuDriver) && Wanted(use, result["request"].StringOr(""))) {
      devices.push_back({result["pool"].StringOr(""), result["device"].StringOr("")});
    }
  }
  return devices;
}

Result<std::vector<std::string>> UuidsOfDevices(const std::vector<AllocatedDevice>& devices,
                                                const std::vector<View>& slices) {
  const auto newest = NewestGenerations(slices);
  const auto uuid_of = [&](const AllocatedDevice& wanted) -> std::string {
    for (const View slice : slices) {
      const View spec = slice["spec"];
      const View pool = spec["pool"];
      if (!spec["driver"].Equals(kGpuDriver) || !pool["name"].Equals(wanted.pool) ||
          pool["generation"].Int().value_or(0) != newest.at(wanted.pool)) {
        continue;
      }
      if (const View device = Named(spec["devices"], wanted.device); device.exists()) {
        return UuidOf(device);
      }
    }
    return "";
  };
  std::vector<std::string> uuids;
  for (const AllocatedDevice& device : devices) {
    uuids.push_back(uuid_of(device));
    if (uuids.back().empty()) {
      return NotFoundError(fmt::format("no resource slice tells the UUID of device {} of pool {}",
                                       device.device, device.pool));
    }
  }
  return uuids;
}

Result<std::vector<std::string>> InOrderOfContainer(const std::vector<std::string>& claimed,
                                                    const std::vector<std::string>& listed) {
  ASSIGN_OR_RETURN(auto wanted, CanonicalGpuUuids(claimed).WithContext("GPUs of the claims"));
  ASSIGN_OR_RETURN(auto seen, CanonicalGpuUuids(listed).WithContext("GPUs in the container"));
  if (wanted.size() != seen.size()) {
    return Mismatch(
        fmt::format("{} GPUs claimed and {} in the container", wanted.size(), seen.size()), wanted,
        seen);
  }
  if (!std::is_permutation(wanted.begin(), wanted.end(), seen.begin(), seen.end())) {
    return Mismatch("not the same GPUs", wanted, seen);
  }
  return seen;
}

}  // namespace hearth::agent::cuda
