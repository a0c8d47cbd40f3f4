#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"
#include "json/view.h"

// GPUs that a container has through claims.
namespace hearth::dynamo {

// A claim of the pod that the container uses: by the name of a template, or of a claim.
struct UsedClaim {
  std::string template_name;
  std::string claim_name;
};
std::vector<UsedClaim> ClaimsOfContainer(const json::Value& pod_spec, const json::Value& container);

// How many devices of the class a claim's spec asks for. All of a node count as two: more than one
// is all that matters, and nobody knows the number before it is allocated.
int64_t GpusOfClaim(json::View claim_spec, std::string_view device_class);

}  // namespace hearth::dynamo
