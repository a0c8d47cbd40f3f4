// Restores a checkpoint into a container that waits for it. Started by the agent, one for each
// restore: it enters the container's namespaces, which a process with threads cannot.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>

#include "agent/files/apply_files.h"
#include "agent/host/process_facts.h"
#include "agent/restore/adapted_images.h"
#include "agent/restore/cgroups.h"
#include "agent/restore/in_container.h"
#include "agent/restore/kernel_facts.h"
#include "agent/restore/namespaces.h"
#include "agent/restore/private_root.h"
#include "base/file_system.h"
#include "base/options.h"
#include "base/parent_tie.h"
#include "snapshot/artifact/manifest.h"

namespace hearth {
namespace {

struct Settings {
  int64_t target_pid = 0;
  int64_t target_fd = -1;
  std::string checkpoint_path;
  std::string bundle_dir;
  std::string cgroup_root;
  std::vector<std::string> target_pod_ips;
  int64_t log_fd = -1;
  std::string kernel_facts;
};

constexpr uint64_t kLargestManifest = 8ULL << 20;
// It takes a tenth of a second; without it a restore goes on all the same.
constexpr Duration kForKernelFacts = std::chrono::seconds(10);

// What is needed from the node's side, before the container is entered.
struct FromOutside {
  agent::RestorePlan plan;
  UniqueFd bundle;
  UniqueFd artifact;
  UniqueFd null_device;
  uint64_t mount_namespace = 0;  // the container's, inode
};

Result<FromOutside> Gather(const Settings& settings) {
  const int pid = static_cast<int>(settings.target_pid);
  FromOutside outside;
  ASSIGN_OR_RETURN(
      const std::string text,
      RealFileSystem().Read(settings.checkpoint_path + "/" + std::string(snapshot::kManifestFile),
                            kLargestManifest));
  ASSIGN_OR_RETURN(const snapshot::Manifest manifest, snapshot::ReadManifest(text));
  ASSIGN_OR_RETURN(outside.mount_namespace, agent::ProcReader().NamespaceInode(pid, "mnt"));
  ASSIGN_OR_RETURN(outside.plan,
                   agent::PlanRestore(manifest, {.cgroup_root = settings.cgroup_root,
                                                 .pod_ips = settings.target_pod_ips}));
  outside.plan.kernel_facts = agent::ReadKernelFacts(settings.kernel_facts, settings.bundle_dir,
                                                     WaitLimit::For(RealClock(), kForKernelFacts));
  ASSIGN_OR_RETURN(outside.bundle, agent::CloneForMount(settings.bundle_dir, true));
  ASSIGN_OR_RETURN(outside.artifact, agent::CloneForMount(settings.checkpoint_path, false));
  ASSIGN_OR_RETURN(outside.null_device, agent::CloneNullDevice());
  return outside;
}

// In the container from here on, as its child: what happens is told over the standard output.
int Restore(const FromOutside& outside, int target, const Settings& settings) {
  const auto run = [&]() -> Result<agent::Restored> {
    RETURN_IF_ERROR(agent::EnterPrivateRoot(outside.null_device));
    ASSIGN_OR_RETURN(const auto tools,
                     agent::ShownDirectory::Show(outside.bundle, std::string(agent::kBundlePlace)));
    ASSIGN_OR_RETURN(auto images, agent::AdaptedImages::Show(
                                      outside.artifact, std::string(agent::kArtifactPlace),
                                      outside.plan, outside.mount_namespace));
    ASSIGN_OR_RETURN(
        agent::Restored restored,
        agent::RestoreInContainer(outside.plan, tools.place(), images,
                                  {.target = target, .log = static_cast<int>(settings.log_fd)},
                                  WaitLimit::Forever()));
    restored.dropped_connections = images.dropped().size();
    restored.dropped_peers = agent::PeersOf(images.dropped());
    return restored;
  };
  const auto restored = run();
  if (!restored.ok()) {
    fmt::print(stderr, "nsrestore: {}\n", restored.status().ToString());
    return restored.status().Is(Code::kDataLoss) ? agent::kExitDamaged : 1;
  }
  fmt::print("{}\n", agent::WriteRestored(*restored));
  return 0;
}

Result<int> Run(const Settings& settings) {
  const UniqueFd target(settings.target_fd >= 0
                            ? static_cast<int>(settings.target_fd)
                            : static_cast<int>(::syscall(SYS_pidfd_open, settings.target_pid, 0)));
  if (!target.valid()) {
    return Status::FromErrno(errno, fmt::format("process {}", settings.target_pid));
  }
  ASSIGN_OR_RETURN(const FromOutside outside, Gather(settings));
  agent::PrepareToApply();
  // What is restored stays where we are.
  RETURN_IF_ERROR(agent::JoinCgroupsOf(static_cast<int>(settings.target_pid), {}));
  RETURN_IF_ERROR(agent::EnterNamespacesOf(target.get()));
  ASSIGN_OR_RETURN(ParentTie tie, ParentTie::Make());
  // A pid namespace is entered by children only.
  const pid_t child = ::fork();
  if (child == 0) {
    if (!tie.Hold()) {
      ::_exit(1);  // we were killed meanwhile, and nobody waits for what it would restore
    }
    const int code = Restore(outside, target.get(), settings);
    std::fflush(stdout);
    ::_exit(code);
  }
  tie.Confirm();
  int status = 0;
  while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (child < 0) {
    return Status::FromErrno(errno, "fork");
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace
}  // namespace hearth

int main(int argc, char** argv) {
  using namespace hearth;
  Settings settings;
  OptionTable table(
      "nsrestore",
      "Restores a checkpoint into a container that waits for it; the agent starts it.");
  table.Add({.name = "target-pid",
             .help = "The first process of the container, as seen from here",
             .target = &settings.target_pid,
             .required = true});
  table.Add({.name = "target-fd",
             .help = "A pidfd of that process; without one it is found by its number",
             .target = &settings.target_fd});
  table.Add({.name = "checkpoint-path",
             .help = "The artifact's directory",
             .target = &settings.checkpoint_path,
             .required = true});
  table.Add({.name = "bundle-dir",
             .help = "The directory with CRIU and its libraries, as tools/criu makes it",
             .target = &settings.bundle_dir,
             .required = true});
  table.Add({.name = "cgroup-root",
             .help = "The container's cgroup, under which CRIU puts what it restores",
             .target = &settings.cgroup_root});
  table.Add({.name = "target-pod-ip",
             .help = "An address of the pod that it is restored in: sockets at the source pod's "
                     "address of that family come to this one; once for each",
             .target = &settings.target_pod_ips});
  table.Add({.name = "log-fd",
             .help = "A descriptor that CRIU's log is written to when it has ended",
             .target = &settings.log_fd});
  table.Add({.name = "kernel-facts",
             .help = "A file of the node for what CRIU knows of its kernel; made when it is not "
                     "there",
             .target = &settings.kernel_facts});
  table.AddNotes(
      "Prints one JSON object: restoredPID, leftToCriu (why CRIU filled the memory; empty when "
      "nsrestore did), phases, each with its name and nanoseconds, and droppedConnections: how "
      "many "
      "TCP connections did not come back (count) and whose they were (peers).\n\n"
      "Exit codes:\n  0  restored\n  1  not restored; the reason is on standard error\n  2  wrong "
      "usage\n  3  not restored: the artifact is damaged\n");
  const auto parsed = table.Parse(argc, argv);
  if (!parsed.ok()) {
    fmt::print(stderr, "nsrestore: {}\n", parsed.status().message());
    return 2;
  }
  if (*parsed != OptionTable::Parsed::kRun) {
    fmt::print("{}", *parsed == OptionTable::Parsed::kHelp ? table.Help()
                                                           : "nsrestore " HEARTH_VERSION "\n");
    return 0;
  }
  const auto code = Run(settings);
  if (!code.ok()) {
    fmt::print(stderr, "nsrestore: {}\n", code.status().ToString());
  }
  // At once: whoever is started from here on is in the container, where a sanitizer that looks for
  // leaks at the end waits for itself for ever.
  std::fflush(nullptr);
  ::_exit(code.ok() ? *code : 1);
}
