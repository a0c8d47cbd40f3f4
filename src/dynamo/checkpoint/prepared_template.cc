#include "dynamo/checkpoint/prepared_template.h"

#include <fmt/format.h>

#include "api/dynamo/constants.h"
#include "pods/environment.h"
#include "pods/lists.h"

namespace hearth::dynamo {
namespace {

namespace dyn = api::dynamo;
using json::Value;

std::string MissingIn(const Value& container) {
  const std::string who = fmt::format("gpuMemoryService checkpoint container \"{}\" is missing ",
                                      pods::Text(container, "name"));
  const Value* const resources = container.Find("resources");
  if (resources == nullptr || pods::FindNamed(*resources, "claims", dyn::kGpuClaim) == nullptr) {
    return who + fmt::format("resource claim \"{}\"", dyn::kGpuClaim);
  }
  const Value* const mount =
      pods::FindItem(container, "volumeMounts", "mountPath", dyn::kGmsMountPath);
  if (mount == nullptr || pods::Text(*mount, "name") != dyn::kGmsVolume) {
    return who + fmt::format("{} mount at {}", dyn::kGmsVolume, dyn::kGmsMountPath);
  }
  const Value* const variable = pods::FindVariable(container, dyn::kGmsSocketDir);
  if (variable == nullptr || pods::Text(*variable, "value") != dyn::kGmsMountPath) {
    return who + fmt::format("{}={}", dyn::kGmsSocketDir, dyn::kGmsMountPath);
  }
  return "";
}

}  // namespace

std::string MissingForMemory(const dyn::CheckpointSpec& spec) {
  constexpr std::string_view kTemplate = "gpuMemoryService checkpoint pod template ";
  if (spec.gpu_memory_service->mode != dyn::v1alpha1::GpuMemoryMode::kIntraPod) {
    return "gpuMemoryService checkpoint jobs for mode \"interPod\" are not implemented";
  }
  const Value* const found = spec.job.pod_template_spec.Find("spec");
  const Value pod = found == nullptr ? Value::Object() : *found;
  const Value* const target = pods::FindNamed(pod, "containers", spec.job.target_container_name);
  if (target == nullptr) {
    return fmt::format("{}has no target container \"{}\"", kTemplate,
                       spec.job.target_container_name);
  }
  if (pods::FindNamed(pod, "resourceClaims", dyn::kGpuClaim) == nullptr) {
    return fmt::format("{}is missing pod resource claim \"{}\"", kTemplate, dyn::kGpuClaim);
  }
  if (pods::FindNamed(pod, "volumes", dyn::kGmsVolume) == nullptr) {
    return fmt::format("{}is missing shared volume \"{}\"", kTemplate, dyn::kGmsVolume);
  }
  if (std::string missing = MissingIn(*target); !missing.empty()) {
    return missing;
  }
  const Value* const server = pods::FindNamed(pod, "initContainers", dyn::kGmsServer);
  if (server == nullptr) {
    return fmt::format("{}is missing init sidecar \"{}\"", kTemplate, dyn::kGmsServer);
  }
  if (std::string missing = MissingIn(*server); !missing.empty()) {
    return missing;
  }
  for (const std::string& name : spec.gpu_memory_service->extra_client_containers) {
    const Value* const client = pods::FindNamed(pod, "containers", name);
    if (client == nullptr) {
      return fmt::format("{}is missing extra client container \"{}\"", kTemplate, name);
    }
    if (std::string missing = MissingIn(*client); !missing.empty()) {
      return missing;
    }
  }
  return "";
}

}  // namespace hearth::dynamo
