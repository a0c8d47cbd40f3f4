#include "agent/capture/facts.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "agent/capture/cold_start.h"
#include "agent/host/network_namespace.h"
#include "agent/host/restored_processes.h"
#include "agent/host/root_view.h"
#include "agent/host/upper_layer.h"
#include "agent/host/user_namespace.h"

namespace hearth::agent {
namespace {

bool IsThere(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

}  // namespace

std::string FindFreezer(std::string_view cgroup_text, const std::string& cgroups) {
  for (const auto& [controllers, path] : ParseCgroups(cgroup_text)) {
    if (path == "/") {
      continue;
    }
    if (controllers == "freezer" && IsThere(cgroups + "/freezer" + path + "/freezer.state")) {
      return cgroups + "/freezer" + path;
    }
    for (const char* const unified : {"", "/unified"}) {
      if (controllers.empty() && IsThere(cgroups + unified + path + "/cgroup.freeze")) {
        return cgroups + unified + path;
      }
    }
  }
  return "";
}

Result<CaptureFacts> GatherFacts(ContainerRuntime& runtime, const HostPlaces& places,
                                 std::string_view container_id, const WaitLimit& limit) {
  const ProcReader proc(places.proc);
  CaptureFacts facts;
  ASSIGN_OR_RETURN(facts.container, runtime.Find(container_id, limit));
  // Who started it knows what it was given; who waits in it does not.
  ASSIGN_OR_RETURN(const ProcessFacts first, proc.Process(facts.container.pid));
  ASSIGN_OR_RETURN(facts.container.pid, FirstOfWorkload(places, first.pid));
  const int pid = facts.container.pid;
  ASSIGN_OR_RETURN(facts.tree, proc.Tree(pid));
  if (facts.tree.front().IsZombie()) {
    return UnavailableError(
        fmt::format("the first process of container {} ({}) has ended", container_id, pid));
  }
  ASSIGN_OR_RETURN(const std::string mounts, proc.MountInfo(pid));
  ASSIGN_OR_RETURN(facts.mounts, ParseMountInfo(mounts));
  ASSIGN_OR_RETURN(UpperLayer layer, OpenUpperLayer(proc, facts.mounts, first.parent));
  facts.upper_directory = std::move(layer.path);
  facts.upper = std::move(layer.directory);
  facts.root = proc.RootOf(pid);
  if (pid == first.pid) {
    facts.cold_start = MeasureColdStart(proc, pid, facts.root, RealClock().WallNow());
  }
  facts.mount_plan = PlanMounts(facts.mounts, facts.container.managed, ViewOfRoot(facts.root));
  ASSIGN_OR_RETURN(facts.network_namespace, proc.NamespaceInode(pid, "net"));
  facts.host_network = IsNodeNetwork(proc, facts.network_namespace, first.parent);
  for (const ProcessFacts& process : facts.tree) {
    if (facts.own_users == 0 && HasUsersOfItsOwn(proc, process.pid)) {
      facts.own_users = process.pid;
    }
  }
  for (int fd = 0; fd < 3; ++fd) {
    facts.stdio[static_cast<size_t>(fd)] = proc.DescriptorTarget(pid, fd).value_or("");
  }
  // Without a freezer CRIU stops the processes one by one.
  if (const auto cgroup = proc.CgroupText(pid); cgroup.ok()) {
    facts.freezer = FindFreezer(*cgroup, places.cgroups);
  }
  return facts;
}

}  // namespace hearth::agent
