#include "agent/kubelet/pod_resources.h"

#include <fmt/format.h>

#include <utility>

#include "agent/kubelet/wire/pod_resources.grpc.pb.h"
#include "agent/rpc/call.h"

namespace hearth::agent {
namespace {

using Ids = std::vector<std::string>;

const v1::ContainerResources* FindContainer(const v1::ListPodResourcesResponse& answer,
                                            std::string_view name_space, std::string_view pod,
                                            std::string_view container) {
  for (const v1::PodResources& listed : answer.pod_resources()) {
    if (listed.name() != pod || listed.namespace_() != name_space) {
      continue;
    }
    for (const v1::ContainerResources& resources : listed.containers()) {
      if (resources.name() == container) {
        return &resources;
      }
    }
  }
  return nullptr;
}

class PodResources : public cuda::AssignedDevices {
 public:
  PodResources(PodResourcesOptions options, Clock& clock)
      : options_(std::move(options)),
        clock_(clock),
        server_(options_.socket, clock),
        lister_(server_.channel()) {}

  Result<Ids> Of(std::string_view name_space, std::string_view pod, std::string_view container,
                 std::string_view resource, const WaitLimit& limit) override {
    server_.AwaitConnection(limit);
    rpc::Call call(limit, options_.call_timeout, clock_);
    v1::ListPodResourcesResponse answer;
    RETURN_IF_ERROR(
        call.Outcome(lister_.List(&call.context(), {}, &answer),
                     fmt::format("kubelet at {}: list of pod resources", options_.socket)));
    const auto* const resources = FindContainer(answer, name_space, pod, container);
    if (resources == nullptr) {
      return NotFoundError(fmt::format("the kubelet at {} knows no container {} of pod {}/{}",
                                       options_.socket, container, name_space, pod));
    }
    Ids ids;
    // One entry for each NUMA node.
    for (const v1::ContainerDevices& devices : resources->devices()) {
      if (devices.resource_name() == resource) {
        ids.insert(ids.end(), devices.device_ids().begin(), devices.device_ids().end());
      }
    }
    return ids;
  }

 private:
  PodResourcesOptions options_;
  Clock& clock_;
  rpc::UnixServer server_;
  v1::PodResourcesLister::Stub lister_;
};

}  // namespace

std::unique_ptr<cuda::AssignedDevices> MakePodResources(PodResourcesOptions options, Clock& clock) {
  return std::make_unique<PodResources>(std::move(options), clock);
}

}  // namespace hearth::agent
