#include "agent/cuda/gpu_discovery.h"

#include <fmt/format.h>

#include "agent/cuda/dra.h"
#include "agent/cuda/gpu_uuid.h"

namespace hearth::agent::cuda {
namespace {

using Uuids = std::vector<std::string>;

constexpr std::string_view kGpuResource = "nvidia.com/gpu";

// Of a GPU that several share the id has a number behind: "GPU-...::3".
Uuids WithoutShares(Uuids ids) {
  for (std::string& id : ids) {
    id.resize(std::min(id.size(), id.find("::")));
  }
  return ids;
}

}  // namespace

Result<Uuids> GpuDiscovery::Find(const GpuQuestion& question, const WaitLimit& limit) {
  ASSIGN_OR_RETURN(Uuids claimed, ByClaims(question, limit));
  if (!claimed.empty()) {
    return claimed;
  }
  // Of the others, one that does not answer leaves the question to the next.
  if (auto assigned = ByKubelet(question, limit); assigned.ok() && !assigned->empty()) {
    return assigned;
  }
  auto seen = InContainer(question, limit);
  if (seen.ok() && !seen->empty()) {
    return seen;
  }
  auto asked = ParseVisibleDevices(question.visible_devices);
  if (asked.ok()) {
    return asked;
  }
  return NotFoundError(fmt::format(
      "no GPU of container {} of pod {}/{} is known: neither claims nor the kubelet name one; {}",
      question.container, question.pod_namespace, question.pod,
      seen.ok() ? asked.status().message() : seen.status().message()));
}

Result<Uuids> GpuDiscovery::ByClaims(const GpuQuestion& question, const WaitLimit& limit) {
  if (claims_ == nullptr || question.pod.empty()) {
    return Uuids();
  }
  const auto pod = claims_->Pod(question.pod_namespace, question.pod, limit);
  if (!pod.ok()) {
    // Nothing is known of claims yet.
    return Uuids();
  }
  ASSIGN_OR_RETURN(const auto uses, ClaimsOfContainer(pod->view(), question.container));
  std::vector<AllocatedDevice> devices;
  for (const ClaimUse& use : uses) {
    ASSIGN_OR_RETURN(const auto claim, claims_->Claim(question.pod_namespace, use.claim, limit));
    ASSIGN_OR_RETURN(const auto allocated, AllocatedGpus(claim.view(), use));
    devices.insert(devices.end(), allocated.begin(), allocated.end());
  }
  if (devices.empty()) {
    return Uuids();
  }
  ASSIGN_OR_RETURN(const auto slices, claims_->SlicesOfNode(question.node, limit));
  std::vector<json::View> views;
  views.reserve(slices.size());
  for (const json::Blob& slice : slices) {
    views.push_back(slice.view());
  }
  ASSIGN_OR_RETURN(const Uuids claimed, UuidsOfDevices(devices, views));
  ASSIGN_OR_RETURN(const Uuids seen, InContainer(question, limit));
  return InOrderOfContainer(claimed, seen);
}

Result<Uuids> GpuDiscovery::ByKubelet(const GpuQuestion& question, const WaitLimit& limit) {
  if (kubelet_ == nullptr || question.pod.empty()) {
    return Uuids();
  }
  ASSIGN_OR_RETURN(Uuids ids, kubelet_->Of(question.pod_namespace, question.pod, question.container,
                                           kGpuResource, limit));
  return CanonicalGpuUuids(WithoutShares(std::move(ids)));
}

Result<Uuids> GpuDiscovery::InContainer(const GpuQuestion& question, const WaitLimit& limit) {
  if (container_ == nullptr || question.pid <= 0) {
    return UnavailableError("the container cannot be asked for its GPUs");
  }
  return container_->SeenBy(question.pid, limit);
}

}  // namespace hearth::agent::cuda
