#include "private_machine.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/statfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <vector>

#include "base/process_runner.h"
#include "base/testing/temp_directory.h"

namespace hearth::node {
namespace {

namespace fs = std::filesystem;

constexpr long kCgroup2 = 0x63677270;  // the kernel's CGROUP2_SUPER_MAGIC

std::optional<PrivateMachine>& Here() {
  static std::optional<PrivateMachine> machine;
  return machine;
}

// Tops of all hierarchies: one on machines that have only version 2.
std::vector<fs::path> Hierarchies() {
  const fs::path top = "/sys/fs/cgroup";
  struct statfs facts {};
  if (::statfs(top.c_str(), &facts) == 0 && facts.f_type == kCgroup2) {
    return {top};
  }
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(top, ignored)) {
    if (fs::exists(entry.path() / "cgroup.procs")) {
      found.push_back(entry.path());
    }
  }
  return found;
}

Status MakeCgroups(const std::string& name) {
  for (const fs::path& top : Hierarchies()) {
    std::error_code error;
    fs::create_directory(top.string() + name, error);
    if (error) {
      return InternalError(fmt::format("cgroup {}{}: {}", top.string(), name, error.message()));
    }
    // Version 2: controllers are handed down level by level; those that cannot be are not needed.
    for (const char* const controller : {"cpu", "cpuset", "memory", "pids", "io", "hugetlb"}) {
      for (const std::string& level : {top.string(), top.string() + name}) {
        const int fd = ::open((level + "/cgroup.subtree_control").c_str(), O_WRONLY | O_CLOEXEC);
        if (fd >= 0) {
          const std::string line = std::string("+") + controller;
          static_cast<void>(::write(fd, line.data(), line.size()) < 0);
          ::close(fd);
        }
      }
    }
  }
  return Status::Ok();
}

// From the leaves up, when nobody is in them any more.
void RemoveCgroup(const fs::path& directory) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(directory, ignored)) {
    if (entry.is_directory(ignored)) {
      RemoveCgroup(entry.path());
    }
  }
  ::rmdir(directory.c_str());
}

Status Mount(const char* what, const char* where, const char* type, unsigned long flags) {
  return ::mount(what, where, type, flags, nullptr) == 0 ? Status::Ok()
                                                         : Status::FromErrno(errno, where);
}

Status Ip(const std::vector<std::string>& arguments) {
  ProcessSpec spec{.argv = {"ip"}};
  spec.argv.insert(spec.argv.end(), arguments.begin(), arguments.end());
  ASSIGN_OR_RETURN(
      const ProcessOutcome outcome,
      RealProcessRunner().Run(spec, WaitLimit::For(RealClock(), std::chrono::seconds(30))));
  return outcome.ok() ? Status::Ok() : InternalError("ip: " + outcome.errors);
}

Status Furnish(const std::string& cgroup, const std::string& temporary) {
  if (::unshare(CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC) != 0) {
    return Status::FromErrno(errno, "unshare");
  }
  RETURN_IF_ERROR(Mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE));
  RETURN_IF_ERROR(Mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC));
  for (const char* const place : {"/run", "/var/lib", "/var/log"}) {
    RETURN_IF_ERROR(Mount("tmpfs", place, "tmpfs", MS_NOSUID | MS_NODEV));
  }
  ::setenv("TMPDIR", temporary.c_str(), 1);
  RETURN_IF_ERROR(MakeCgroups(cgroup));
  RETURN_IF_ERROR(Ip({"link", "set", "lo", "up"}));
  const std::string bridge = PrivateMachine::kBridge;
  RETURN_IF_ERROR(Ip({"link", "add", bridge, "type", "bridge"}));
  RETURN_IF_ERROR(
      Ip({"address", "add", std::string(PrivateMachine::kAddress) + "/16", "dev", bridge}));
  RETURN_IF_ERROR(Ip({"link", "set", bridge, "up"}));
  // Servers look for their own address along the default route; it leads nowhere.
  return Ip({"route", "add", "default", "dev", bridge});
}

int RunInside(const std::function<int()>& work, const std::string& cgroup,
              const std::string& temporary) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const Status furnished = Furnish(cgroup, temporary);
  if (!furnished.ok()) {
    std::fprintf(stderr, "no machine within this one: %s\n", furnished.ToString().c_str());
    return 1;
  }
  Here() = PrivateMachine{.cgroup = cgroup};
  return work();
}

int ExitCode(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128; }

}  // namespace

const PrivateMachine* ThisPrivateMachine() { return Here() ? &*Here() : nullptr; }

Status AddAddress(const std::string& address) {
  return Ip({"address", "replace", address + "/32", "dev", "lo"});
}

int InPrivateMachine(const std::function<int()>& work) {
  if (::geteuid() != 0) {
    return work();
  }
  const TempDirectory temporary;
  const std::string cgroup = fmt::format("/hearth-{}", ::getpid());
  if (::unshare(CLONE_NEWPID) != 0) {
    std::perror("unshare");
    return 1;
  }
  const pid_t child = ::fork();
  if (child == 0) {
    std::exit(RunInside(work, cgroup, temporary.path()));
  }
  int status = 0;
  while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  // With the first process all others of the machine have gone.
  for (const fs::path& top : Hierarchies()) {
    RemoveCgroup(top.string() + cgroup);
  }
  if (child > 0 && WIFSIGNALED(status)) {
    std::fprintf(stderr, "killed by signal %d\n", WTERMSIG(status));
  }
  return child > 0 ? ExitCode(status) : 1;
}

}  // namespace hearth::node
