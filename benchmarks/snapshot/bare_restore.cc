// The peer of a restore: enters the container that waits as we do, then runs CRIU through its
// command line, with the options that we use and nothing else. Prints how many seconds CRIU took.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "agent/restore/cgroups.h"
#include "agent/restore/namespaces.h"
#include "agent/restore/outside_mounts.h"
#include "agent/restore/placeholder_files.h"
#include "agent/restore/plan.h"
#include "agent/restore/private_root.h"
#include "bare_criu.h"
#include "base/clock.h"
#include "base/file_system.h"
#include "base/process_runner.h"
#include "disk/confined_file.h"
#include "snapshot/artifact/manifest.h"

namespace hearth::bench {
namespace {

constexpr uint64_t kLargestManifest = 8ULL << 20;

Result<UniqueFd> Open(const agent::RestorePlan::Inherited& inherited, int target) {
  if (inherited.path.empty()) {
    return agent::TakeDescriptor(target, inherited.descriptor);
  }
  UniqueFd fd(::open(inherited.path.c_str(), O_RDONLY | O_CLOEXEC));
  return fd.valid() ? Result<UniqueFd>(std::move(fd)) : Status::FromErrno(errno, inherited.path);
}

Result<double> RunCriu(const agent::RestorePlan& plan, int target, const std::string& bundle,
                       const std::string& images) {
  const std::string container(agent::kContainerPlace);
  const std::string work(agent::kWorkPlace);
  ::umount2((container + "/dev/shm").c_str(), UMOUNT_NOFOLLOW);
  ASSIGN_OR_RETURN(const UniqueFd root, disk::OpenDirectory(container));
  ASSIGN_OR_RETURN(const agent::criu::Program program, agent::criu::FindProgram(bundle));
  agent::criu::RestoreRequest request = plan.request;
  RETURN_IF_ERROR(agent::ShowOutsideMounts(root.get(), request.external_mounts));
  std::vector<std::string> argv = BareRestore(request, program, images, work);
  argv.insert(argv.end(), {"--root", container});
  std::vector<UniqueFd> opened;
  std::vector<int> numbers;
  for (const agent::RestorePlan::Inherited& each : plan.inherited) {
    ASSIGN_OR_RETURN(UniqueFd fd, Open(each, target));
    argv.push_back("--inherit-fd");
    argv.push_back(fmt::format("fd[{}]:{}", fd.get(), each.key));
    numbers.push_back(fd.get());
    opened.push_back(std::move(fd));
  }
  const SteadyTime begin = RealClock().Now();
  ASSIGN_OR_RETURN(ChildProcess criu,
                   ChildProcess::Start({.argv = argv,
                                        .env = {{"PATH", bundle + "/helpers"},
                                                {"LD_LIBRARY_PATH", bundle + "/lib"}},
                                        .inherited_fds = numbers}));
  // Not Wait: it would kill what was restored, which is in CRIU's process group.
  siginfo_t info{};
  ::waitid(P_PID, static_cast<id_t>(criu.pid()), &info, WEXITED | WNOWAIT);
  const double seconds = std::chrono::duration<double>(RealClock().Now() - begin).count();
  if (info.si_code != CLD_EXITED || info.si_status != 0) {
    return InternalError(RealFileSystem().Read(work + "/restore.log", 64 << 20).value_or("no log"));
  }
  // What was restored stays; whoever started us kills its container.
  fmt::print("{}\n", seconds);
  std::fflush(stdout);
  ::_exit(0);
}

Status Run(int pid, const std::string& artifact_path, const std::string& bundle_path) {
  const UniqueFd target(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  ASSIGN_OR_RETURN(const std::string text,
                   RealFileSystem().Read(artifact_path + "/" + std::string(snapshot::kManifestFile),
                                         kLargestManifest));
  ASSIGN_OR_RETURN(const snapshot::Manifest manifest, snapshot::ReadManifest(text));
  ASSIGN_OR_RETURN(const agent::RestorePlan plan, agent::PlanRestore(manifest, {}));
  ASSIGN_OR_RETURN(const UniqueFd bundle, agent::CloneForMount(bundle_path, true));
  ASSIGN_OR_RETURN(const UniqueFd artifact, agent::CloneForMount(artifact_path, false));
  ASSIGN_OR_RETURN(const UniqueFd null_device, agent::CloneNullDevice());
  RETURN_IF_ERROR(agent::JoinCgroupsOf(pid, {}));
  RETURN_IF_ERROR(agent::EnterNamespacesOf(target.get()));
  const pid_t child = ::fork();
  if (child == 0) {
    const auto restored = [&]() -> Result<double> {
      RETURN_IF_ERROR(agent::EnterPrivateRoot(null_device));
      ASSIGN_OR_RETURN(const auto tools,
                       agent::ShownDirectory::Show(bundle, std::string(agent::kBundlePlace)));
      ASSIGN_OR_RETURN(const auto images,
                       agent::ShownDirectory::Show(artifact, std::string(agent::kArtifactPlace)));
      return RunCriu(plan, target.get(), tools.place(), images.place());
    }();
    fmt::print(stderr, "{}\n", restored.status().ToString());
    ::_exit(1);
  }
  int status = 0;
  while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0
             ? Status::Ok()
             : InternalError("the bare restore failed");
}

}  // namespace
}  // namespace hearth::bench

int main(int argc, char** argv) {
  if (argc != 4) {
    fmt::print(stderr, "usage: bare_restore PID ARTIFACT BUNDLE\n");
    return 2;
  }
  const hearth::Status status = hearth::bench::Run(std::atoi(argv[1]), argv[2], argv[3]);
  if (!status.ok()) {
    fmt::print(stderr, "bare_restore: {}\n", status.message());
  }
  return status.ok() ? 0 : 1;
}
