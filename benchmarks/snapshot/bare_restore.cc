// The peer of a restore: enters the container that waits as we do, then runs CRIU through its
// command line, with the options that we use and nothing else. Prints how many seconds CRIU took.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "agent/restore/cgroups.h"
#include "agent/restore/namespaces.h"
#include "agent/restore/plan.h"
#include "bare_criu.h"
#include "base/clock.h"
#include "base/file_system.h"
#include "base/process_runner.h"
#include "snapshot/artifact/manifest.h"

namespace hearth::bench {
namespace {

constexpr uint64_t kLargestManifest = 8ULL << 20;

Result<double> RunCriu(const agent::RestorePlan& plan, const std::string& bundle,
                       const std::string& images) {
  ::mkdir(plan.work_directory.c_str(), 0700);
  ::umount2("/dev/shm", 0);
  ::mount(nullptr, "/proc/sys", nullptr, MS_REMOUNT | MS_BIND, nullptr);
  ASSIGN_OR_RETURN(const agent::criu::Program program, agent::criu::FindProgram(bundle));
  std::vector<std::string> argv = BareRestore(plan.request, program, images, plan.work_directory);
  std::vector<UniqueFd> opened;
  std::vector<int> numbers;
  for (const agent::RestorePlan::Inherited& each : plan.inherited) {
    UniqueFd fd(::open(each.path.c_str(), (each.writes ? O_WRONLY : O_RDONLY) | O_CLOEXEC));
    if (!fd.valid()) {
      return Status::FromErrno(errno, each.path);
    }
    argv.push_back("--inherit-fd");
    argv.push_back(fmt::format("fd[{}]:{}", fd.get(), each.key));
    numbers.push_back(fd.get());
    opened.push_back(std::move(fd));
  }
  const SteadyTime begin = RealClock().Now();
  ASSIGN_OR_RETURN(ChildProcess criu,
                   ChildProcess::Start({.argv = argv,
                                        .env = {{"PATH", bundle + "/bin:/usr/sbin:/usr/bin"},
                                                {"LD_LIBRARY_PATH", bundle + "/lib"}},
                                        .inherited_fds = numbers}));
  // Not Wait: it would kill what was restored, which is in CRIU's process group.
  siginfo_t info{};
  ::waitid(P_PID, static_cast<id_t>(criu.pid()), &info, WEXITED | WNOWAIT);
  const double seconds = std::chrono::duration<double>(RealClock().Now() - begin).count();
  if (info.si_code != CLD_EXITED || info.si_status != 0) {
    return InternalError(
        RealFileSystem().Read(plan.work_directory + "/restore.log", 64 << 20).value_or("no log"));
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
  RETURN_IF_ERROR(agent::JoinCgroupsOf(pid, {}));
  RETURN_IF_ERROR(agent::EnterNamespacesOf(target.get()));
  const pid_t child = ::fork();
  if (child == 0) {
    const auto restored = [&]() -> Result<double> {
      ASSIGN_OR_RETURN(const auto tools,
                       agent::ShownDirectory::Show(bundle, std::string(agent::kBundlePlace)));
      ASSIGN_OR_RETURN(const auto images,
                       agent::ShownDirectory::Show(artifact, std::string(agent::kArtifactPlace)));
      return RunCriu(plan, tools.place(), images.place());
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
