#include "agent/host/mount_policy.h"

#include <set>

namespace hearth::agent {
namespace {

constexpr std::string_view kNothing = "/dev/null";

// /var/run is another name of /run in most images.
std::string Canonical(std::string path) {
  constexpr std::string_view kAlias = "/var/run";
  if (path == kAlias || path.starts_with(std::string(kAlias) + "/")) {
    path.erase(0, std::string_view("/var").size());
  }
  return path;
}

bool IsBelow(std::string_view path, std::string_view folder) {
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

std::set<std::string> ManagedSet(const ManagedPaths& managed, const RootView& root) {
  std::set<std::string> all;
  for (const auto* const list : {&managed.mounts, &managed.masked, &managed.readonly}) {
    for (const std::string& path : *list) {
      all.insert(Canonical(path));
      all.insert(Canonical(root.resolve(path)));
    }
  }
  return all;
}

MountDecision Decide(const MountEntry& mount, const std::set<std::string>& managed) {
  const std::string& point = mount.mount_point;
  const bool known = managed.contains(Canonical(point));
  if (!known && (IsBelow(point, "/proc") || IsBelow(point, "/sys") || IsBelow(point, "/run"))) {
    return {point, MountFate::kSkipped, "made by the runtime, and made again by the next one"};
  }
  if (point == "/dev/shm" && mount.type == "tmpfs") {
    return {point, MountFate::kSaved, "shared memory of the workload"};
  }
  // The next container's shows its own processes, by other numbers than those of what is restored.
  if (point == "/proc" && mount.type == "proc") {
    return {point, MountFate::kSaved, "of the pid namespace that comes back"};
  }
  return {point, MountFate::kExternal,
          point == "/" ? std::string_view("the root comes with the image")
                       : std::string_view("the next pod brings its own")};
}

}  // namespace

MountPlan PlanMounts(const std::vector<MountEntry>& mounts, const ManagedPaths& managed,
                     const RootView& root) {
  MountPlan plan;
  const std::set<std::string> known = ManagedSet(managed, root);
  std::set<std::string> seen;
  for (const MountEntry& mount : mounts) {
    if (mount.mount_point.empty() || !seen.insert(mount.mount_point).second) {
      continue;
    }
    const MountDecision decision = Decide(mount, known);
    if (decision.fate == MountFate::kExternal) {
      plan.external.emplace(mount.mount_point, mount.mount_point);
    } else if (decision.fate == MountFate::kSkipped) {
      plan.skipped.push_back(mount.mount_point);
    }
    plan.decisions.push_back(decision);
  }
  for (const std::string& path : managed.masked) {
    // A masked file is covered with /dev/null; a directory with an empty tmpfs, which is a mount.
    if (root.exists(path) && !root.is_directory(path)) {
      plan.external.insert_or_assign(path, kNothing);
    }
  }
  return plan;
}

Result<std::map<std::string, std::string>> RestoreMounts(
    const std::map<std::string, std::string>& external) {
  if (external.empty()) {
    return InvalidError(
        "the manifest names no mounts that come from outside; every capture has "
        "at least the root: the artifact is not whole");
  }
  std::map<std::string, std::string> places = {{"/", "."}};
  for (const auto& [point, name] : external) {
    if (!name.empty() && name != "/") {
      places.emplace(name, name);
    }
  }
  return places;
}

}  // namespace hearth::agent
