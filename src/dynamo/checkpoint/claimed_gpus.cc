#include "dynamo/checkpoint/claimed_gpus.h"

#include <algorithm>

#include "dynamo/render/gpu_claim.h"
#include "pods/lists.h"

namespace hearth::dynamo {
namespace {

using json::Value;

// Of one way to satisfy a request.
int64_t CountOf(json::View exactly, std::string_view device_class) {
  const std::string wanted = exactly["deviceClassName"].StringOr("");
  if (wanted != device_class && wanted != kDefaultDeviceClass) {
    return 0;
  }
  if (exactly["allocationMode"].Equals("All")) {
    return 2;
  }
  return std::max<int64_t>(1, exactly["count"].Int().value_or(1));
}

}  // namespace

std::vector<UsedClaim> ClaimsOfContainer(const Value& pod_spec, const Value& container) {
  std::vector<UsedClaim> used;
  const Value* const resources = container.Find("resources");
  if (resources == nullptr) {
    return used;
  }
  for (const Value& entry : pods::Items(*resources, "claims")) {
    const Value* const claim =
        pods::FindNamed(pod_spec, "resourceClaims", pods::Text(entry, "name"));
    if (claim != nullptr) {
      used.push_back({std::string(pods::Text(*claim, "resourceClaimTemplateName")),
                      std::string(pods::Text(*claim, "resourceClaimName"))});
    }
  }
  return used;
}

int64_t GpusOfClaim(json::View claim_spec, std::string_view device_class) {
  int64_t gpus = 0;
  for (const json::View request : claim_spec["devices"]["requests"].items()) {
    if (request["exactly"].IsObject()) {
      gpus += CountOf(request["exactly"], device_class);
    }
    int64_t most = 0;
    for (const json::View way : request["firstAvailable"].items()) {
      most = std::max(most, CountOf(way, device_class));
    }
    gpus += most;
  }
  return gpus;
}

}  // namespace hearth::dynamo
