#include "agent/host/restored_processes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/nsfs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <string>
#include <string_view>
#include <utility>

#include "agent/host/cgroup_directories.h"
#include "agent/host/end_processes.h"
#include "base/strings.h"
#include "base/unique_fd.h"

namespace hearth::agent {
namespace {

// Names of this kind only the machine's own root may write and read.
constexpr const char* kMark = "trusted.hearth.restored";

bool IsBelow(const std::string& path, const std::string& above) {
  return path == above || (path.starts_with(above) && path[above.size()] == '/');
}

// Whether all of a process's cgroups are those of the other, or below them. A process that is in no
// cgroup of its own says nothing.
bool AreWithin(const std::vector<CgroupMembership>& groups,
               const std::vector<CgroupMembership>& of) {
  bool told = false;
  if (groups.size() != of.size()) {
    return false;
  }
  for (size_t i = 0; i < of.size(); ++i) {
    if (groups[i].controllers != of[i].controllers ||
        (of[i].path != "/" && !IsBelow(groups[i].path, of[i].path))) {
      return false;
    }
    told = told || of[i].path != "/";
  }
  return told;
}

// The cgroups that tell a container's processes from others. None: the agent is in them, too, so
// they are not the container's alone.
std::vector<CgroupMembership> CgroupsOfItsOwn(const ProcReader& proc, const std::string& text) {
  auto groups = ParseCgroups(text);
  if (AreWithin(ParseCgroups(proc.CgroupText(::getpid()).value_or("")), groups)) {
    groups.clear();
  }
  return groups;
}

bool Contains(const std::vector<ProcessFacts>& processes, int pid) {
  return std::any_of(processes.begin(), processes.end(),
                     [pid](const ProcessFacts& process) { return process.pid == pid; });
}

// A hierarchy's root is everybody's.
std::vector<std::string> OwnCgroups(const HostPlaces& places, int pid) {
  const auto text = ProcReader(places.proc).CgroupText(pid);
  std::string own;
  for (const std::string_view line : Split(text.ok() ? *text : std::string_view(), '\n')) {
    if (!line.ends_with(":/")) {
      own.append(line).append("\n");
    }
  }
  return CgroupDirectories(own, places.cgroups);
}

uint64_t InodeOf(const UniqueFd& fd) {
  struct stat info {};
  return fd.valid() && ::fstat(fd.get(), &info) == 0 ? info.st_ino : 0;
}

// Whether a process is in a pid namespace that is within `outer`, at any depth.
bool IsInNamespaceWithin(const std::string& proc, int pid, uint64_t outer) {
  UniqueFd at(::open(fmt::format("{}/{}/ns/pid", proc, pid).c_str(), O_RDONLY | O_CLOEXEC));
  if (InodeOf(at) == outer) {
    return false;
  }
  while (at.valid()) {
    at.reset(::ioctl(at.get(), NS_GET_PARENT));
    if (InodeOf(at) == outer) {
      return true;
    }
  }
  return false;
}

// Of a container in its pod's pid namespace: its cgroups tell its processes from those of others.
MatchProcess RestoredInCgroups(const ProcReader& proc, const ProcessFacts& first,
                               std::vector<CgroupMembership> cgroups) {
  return [proc, depth = first.ns_pids.size(), groups = std::move(cgroups)](int pid) {
    const auto facts = proc.Process(pid);
    return facts.ok() && facts->ns_pids.size() > depth &&
                   AreWithin(ParseCgroups(proc.CgroupText(pid).value_or("")), groups)
               ? Match::kYes
               : Match::kNo;
  };
}

}  // namespace

Result<std::vector<ProcessFacts>> ContainerProcesses(const HostPlaces& places, int pid) {
  const ProcReader proc(places.proc);
  ASSIGN_OR_RETURN(std::vector<ProcessFacts> processes, proc.Tree(pid));
  const ProcessFacts first = processes.front();
  if (first.ns_pids.empty() || first.ns_pids.back() == 1) {
    return processes;
  }
  ASSIGN_OR_RETURN(const std::string text, proc.CgroupText(pid));
  const auto groups = CgroupsOfItsOwn(proc, text);
  for (const int other : groups.empty() ? std::vector<int>() : proc.Pids()) {
    const auto cgroup = proc.CgroupText(other);
    const auto facts = proc.Process(other);
    if (cgroup.ok() && facts.ok() && facts->ns_pids.size() >= first.ns_pids.size() &&
        !Contains(processes, other) && AreWithin(ParseCgroups(*cgroup), groups)) {
      processes.push_back(*facts);
    }
  }
  return processes;
}

std::vector<ProcessFacts> NestedRoots(const std::vector<ProcessFacts>& processes) {
  std::vector<ProcessFacts> roots;
  for (const ProcessFacts& process : processes) {
    if (process.ns_pids.size() > processes.front().ns_pids.size() && process.ns_pids.back() == 1 &&
        !process.IsZombie()) {
      roots.push_back(process);
    }
  }
  return roots;
}

Result<int> FirstOfWorkload(const HostPlaces& places, int pid) {
  if (!IsMarkedRestored(places, pid)) {
    return pid;
  }
  ASSIGN_OR_RETURN(const auto processes, ContainerProcesses(places, pid));
  const auto roots = NestedRoots(processes);
  if (roots.empty()) {
    return UnavailableError("what was restored into the container has ended");
  }
  return roots.front().pid;
}

Status KillRestored(const HostPlaces& places, int pid) {
  ASSIGN_OR_RETURN(const auto processes, ContainerProcesses(places, pid));
  for (const ProcessFacts& root : NestedRoots(processes)) {
    const UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, root.pid, 0)));
    if (pidfd.valid() && ::syscall(SYS_pidfd_send_signal, pidfd.get(), SIGKILL, nullptr, 0) != 0 &&
        errno != ESRCH) {
      return Status::FromErrno(errno, fmt::format("kill the restored process {}", root.pid));
    }
  }
  return Status::Ok();
}

Status EndRestored(const HostPlaces& places, int pid, const WaitLimit& limit) {
  const ProcReader proc(places.proc);
  ASSIGN_OR_RETURN(const ProcessFacts first, proc.Process(pid));
  if (!first.ns_pids.empty() && first.ns_pids.back() == 1) {
    ASSIGN_OR_RETURN(const uint64_t own, proc.NamespaceInode(pid, "pid"));
    return EndProcesses(
        proc,
        [&](int other) {
          return IsInNamespaceWithin(places.proc, other, own) ? Match::kYes : Match::kNo;
        },
        limit);
  }
  ASSIGN_OR_RETURN(const std::string cgroups, proc.CgroupText(pid));
  auto own = CgroupsOfItsOwn(proc, cgroups);
  return own.empty() ? KillRestored(places, pid)
                     : EndProcesses(proc, RestoredInCgroups(proc, first, std::move(own)), limit);
}

Status MarkRestored(const HostPlaces& places, int pid, std::string_view word) {
  for (const std::string& directory : OwnCgroups(places, pid)) {
    if (::setxattr(directory.c_str(), kMark, word.data(), word.size(), 0) == 0) {
      return Status::Ok();
    }
  }
  return UnavailableError(fmt::format("process {} has no cgroup that can be marked", pid));
}

bool IsMarkedRestored(const HostPlaces& places, int pid) {
  return !RestoredMark(places, pid).empty();
}

std::string RestoredMark(const HostPlaces& places, int pid) {
  for (const std::string& directory : OwnCgroups(places, pid)) {
    std::string word(1024, '\0');
    const ssize_t length = ::getxattr(directory.c_str(), kMark, word.data(), word.size());
    if (length > 0) {
      word.resize(static_cast<size_t>(length));
      return word;
    }
  }
  return "";
}

}  // namespace hearth::agent
