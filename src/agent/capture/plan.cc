#include "agent/capture/plan.h"

#include <fmt/format.h>

#include <utility>

#include "agent/container/of_pod.h"
#include "json/yaml.h"
#include "snapshot/protocol/checkpoint_id.h"

namespace hearth::agent {
namespace {

using json::Value;

// Processes of a container are in its pid namespace and in no deeper one, and have the node's
// users. CRIU holds still what is connected in the container's network, which must not be all of
// the node.
Status CheckNamespaces(const CaptureFacts& facts) {
  if (facts.host_network) {
    return Status(Code::kUnsupported, "HostNetwork",
                  "the container is in the node's own network, whose connections a capture would "
                  "hold still: run it in a pod without hostNetwork");
  }
  if (facts.own_users != 0) {
    return Status(
        Code::kUnsupported, "UserNamespace",
        fmt::format("process {} is in a user namespace of its own, whose ids nothing here "
                    "maps: run it in a pod without hostUsers: false",
                    facts.own_users));
  }
  const size_t depth = facts.tree.front().ns_pids.size();
  for (const ProcessFacts& process : facts.tree) {
    if (process.ns_pids.size() > depth) {
      return Status(Code::kUnsupported, "NestedPidNamespace",
                    fmt::format("process {} ({}) has a pid namespace of its own within the "
                                "container: run what makes it elsewhere",
                                process.pid, process.name));
    }
  }
  return Status::Ok();
}

criu::DumpRequest Request(const CaptureFacts& facts, const CaptureOrder& order) {
  criu::DumpRequest request;
  request.settings = order.settings;
  request.pid = facts.container.pid;
  request.root = facts.root;
  for (const auto& [point, name] : facts.mount_plan.external) {
    request.external_mounts.push_back({point, name});
  }
  request.skipped_mounts = facts.mount_plan.skipped;
  request.external = {fmt::format("net[{}]:{}", facts.network_namespace, criu::kExternalNetwork)};
  request.freeze_cgroup = facts.freezer;
  return request;
}

snapshot::Manifest ManifestOf(const CaptureFacts& facts, const CaptureOrder& order,
                              const criu::DumpRequest& request,
                              const snapshot::SourceEnvironment& environment, WallTime now) {
  snapshot::Manifest manifest;
  manifest.checkpoint_id = order.checkpoint_id;
  manifest.artifact_version = order.artifact_version;
  manifest.created_at = now;
  manifest.criu_settings = criu::WriteSettings(order.settings);
  manifest.external_mounts = facts.mount_plan.external;
  manifest.external = request.external;
  manifest.skipped_mounts = request.skipped_mounts;
  manifest.source = {.container_id = facts.container.id,
                     .pid = facts.container.pid,
                     .node = order.node,
                     .pod_name = order.pod_name,
                     .pod_namespace = order.pod_namespace,
                     .pod_ips = order.pod_ips,
                     .stdio = facts.stdio};
  manifest.files.exclusions = order.exclusions;
  manifest.files.upper_directory = facts.upper_directory;
  manifest.files.external_paths = facts.container.managed.masked;
  manifest.files.external_paths.insert(manifest.files.external_paths.end(),
                                       facts.container.managed.readonly.begin(),
                                       facts.container.managed.readonly.end());
  manifest.files.bind_destinations = facts.container.bind_destinations;
  manifest.content_uid = order.content_uid;
  manifest.cold_start = facts.cold_start;
  manifest.environment = environment;
  manifest.environment->image = facts.container.image;
  manifest.environment->image_digest = facts.container.image_digest;
  manifest.environment->pod_uid = order.pod_uid;
  manifest.environment->container_name = order.container_name;
  return manifest;
}

std::string_view FateName(MountFate fate) {
  switch (fate) {
    case MountFate::kExternal:
      return "external";
    case MountFate::kSkipped:
      return "skipped";
    case MountFate::kSaved:
      break;
  }
  return "saved";
}

}  // namespace

Result<CapturePlan> PlanCapture(const CaptureFacts& facts, const CaptureOrder& order,
                                const snapshot::SourceEnvironment& environment, WallTime now) {
  RETURN_IF_ERROR(snapshot::CheckCheckpointId(order.checkpoint_id));
  RETURN_IF_ERROR(snapshot::CheckArtifactVersion(order.artifact_version));
  RETURN_IF_ERROR(criu::CheckSettings(order.settings));
  if (order.compress && order.settings.lazy_pages) {
    return InvalidError(
        "with lazyPages CRIU writes the memory itself, which cannot be compressed then");
  }
  RETURN_IF_ERROR(CheckOfPod(facts.container, order.pod_uid));
  RETURN_IF_ERROR(CheckNamespaces(facts));
  CapturePlan plan;
  plan.request = Request(facts, order);
  plan.criu_configuration = criu::ConfigurationFile(
      order.settings, facts.has_plugins ? order.settings.plugin_directory : "");
  plan.manifest = ManifestOf(facts, order, plan.request, environment, now);
  plan.upper_directory = facts.upper_directory;
  plan.mounts = facts.mount_plan.decisions;
  plan.compress = order.compress;
  return plan;
}

std::string DescribePlan(const CapturePlan& plan) {
  Value mounts = Value::Array();
  for (const MountDecision& decision : plan.mounts) {
    mounts.Append(Value::Object({{"mount", decision.mount_point},
                                 {"fate", FateName(decision.fate)},
                                 {"why", decision.why}}));
  }
  return json::WriteYaml(Value::Object({{"checkpoint", plan.manifest.checkpoint_id},
                                        {"process", plan.request.pid},
                                        {"root", plan.request.root},
                                        {"changedFiles", plan.upper_directory},
                                        {"freezer", plan.request.freeze_cgroup},
                                        {"memory", plan.compress ? "zstd" : "as it is"},
                                        {"mounts", std::move(mounts)}}));
}

}  // namespace hearth::agent
