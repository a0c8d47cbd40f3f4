#include "agent/restore/plan.h"

#include <algorithm>

#include "agent/host/mount_policy.h"

namespace hearth::agent {
namespace {

// Output that went into a pipe goes into the placeholder's; the same pipe is given once.
void AddStdio(const snapshot::Manifest& manifest, RestorePlan& plan) {
  for (size_t fd = 0; fd < manifest.source.stdio.size(); ++fd) {
    const std::string& key = manifest.source.stdio[fd];
    const bool known = std::any_of(plan.inherited.begin(), plan.inherited.end(),
                                   [&](const auto& each) { return each.key == key; });
    if (key.starts_with("pipe:[") && !known) {
      plan.inherited.push_back({.key = key, .path = "", .descriptor = static_cast<int>(fd)});
    }
  }
}

}  // namespace

Result<RestorePlan> PlanRestore(const snapshot::Manifest& manifest, const RestoreTarget& target) {
  RestorePlan plan;
  auto settings = criu::ReadSettings(manifest.criu_settings);
  if (!settings.ok()) {
    return settings.status().WithContext("the CRIU settings of the manifest");
  }
  ASSIGN_OR_RETURN(const auto mounts, RestoreMounts(manifest.external_mounts));
  plan.request.settings = *settings;
  // Those of the container that it is restored into, which whoever asks CRIU has joined; CRIU would
  // bring back those of the source.
  plan.request.settings.manage_cgroups = "ignore";
  for (const auto& [name, place] : mounts) {
    plan.request.external_mounts.push_back({name, place});
  }
  plan.request.skipped_mounts = manifest.skipped_mounts;
  plan.request.cgroup_root = target.cgroup_root;
  for (const std::string& external : manifest.external) {
    if (external.starts_with("net[")) {
      plan.inherited.push_back(
          {.key = std::string(criu::kExternalNetwork), .path = "/proc/self/ns/net"});
    }
  }
  AddStdio(manifest, plan);
  plan.left_out = {manifest.files.exclusions, manifest.files.bind_destinations};
  plan.source_ips = manifest.source.pod_ips;
  plan.target_ips = target.pod_ips;
  plan.connections = settings->tcp_established;
  return plan;
}

}  // namespace hearth::agent
