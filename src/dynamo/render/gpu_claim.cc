#include "dynamo/render/gpu_claim.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/dynamo/constants.h"
#include "dynamo/model/names.h"
#include "pods/gpus.h"
#include "pods/lists.h"

namespace hearth::dynamo {
namespace {

using json::Value;

constexpr std::string_view kGpuTaint = "nvidia.com/gpu";

}  // namespace

Value ClaimTemplateSpec(std::string_view request, std::string_view device_class, int64_t count) {
  const std::string_view wanted = device_class.empty() ? kDefaultDeviceClass : device_class;
  Value device = Value::Object({{"name", request},
                                {"exactly", Value::Object({{"deviceClassName", wanted},
                                                           {"allocationMode", "ExactCount"},
                                                           {"count", count}})}});
  return Value::Object(
      {{"spec",
        Value::Object({{"devices", Value::Object({{"requests", Value::Array({device})}})}})}});
}

std::string ClaimContentHash(const Value& spec) { return ShortHash(spec.WriteCanonical()); }

Status UseGpuClaim(Value& pod_spec, std::string_view container, std::string_view claim_template) {
  if (pods::Items(pod_spec, "containers").empty()) {
    return InvalidError("pod spec must have at least one container for DRA claim");
  }
  Value* const target = pods::FindNamed(pod_spec, "containers", container);
  if (target == nullptr) {
    return InvalidError(fmt::format("pod spec has no container named \"{}\"", container));
  }
  AddClaimTo(*target);
  TolerateGpuNodes(pod_spec);
  pods::SetNamed(pod_spec, "resourceClaims",
                 Value::Object({{"name", api::dynamo::kGpuClaim},
                                {"resourceClaimTemplateName", claim_template}}));
  return {};
}

void AddClaimTo(Value& container) {
  pods::RemoveGpus(container);
  Value& resources = container["resources"];
  if (pods::FindNamed(resources, "claims", api::dynamo::kGpuClaim) == nullptr) {
    pods::MakeItems(resources, "claims")
        .push_back(Value::Object({{"name", api::dynamo::kGpuClaim}}));
  }
}

void TolerateGpuNodes(Value& pod_spec) {
  const Value::Items& there = pods::Items(pod_spec, "tolerations");
  const bool tolerated = std::any_of(there.begin(), there.end(), [](const Value& toleration) {
    return pods::Text(toleration, "key") == kGpuTaint &&
           pods::Text(toleration, "effect") == "NoSchedule";
  });
  if (!tolerated) {
    pods::MakeItems(pod_spec, "tolerations")
        .push_back(
            Value::Object({{"key", kGpuTaint}, {"operator", "Exists"}, {"effect", "NoSchedule"}}));
  }
}

}  // namespace hearth::dynamo
