#include "agent/host/network_namespace.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/host/mount_info.h"
#include "base/file_system.h"

namespace hearth::agent {
namespace {

constexpr uint64_t kLargestMountInfo = 16 << 20;

UniqueFd OpenIfItIs(const std::string& path, uint64_t inode) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat info {};
  return fd.valid() && ::fstat(fd.get(), &info) == 0 && info.st_ino == inode ? std::move(fd)
                                                                             : UniqueFd();
}

// Among the mounts of one process.
UniqueFd OpenMounted(const std::string& process, uint64_t inode) {
  const auto text = RealFileSystem().Read(process + "/mountinfo", kLargestMountInfo);
  const auto mounts = text.ok() ? ParseMountInfo(*text) : text.status();
  if (!mounts.ok()) {
    return UniqueFd();
  }
  const std::string name = fmt::format("net:[{}]", inode);
  for (const MountEntry& mount : *mounts) {
    UniqueFd fd =
        mount.root == name ? OpenIfItIs(process + "/root" + mount.mount_point, inode) : UniqueFd();
    if (fd.valid()) {
      return fd;
    }
  }
  return UniqueFd();
}

}  // namespace

Result<UniqueFd> OpenNetworkNamespace(const std::string& proc, uint64_t inode) {
  for (const int pid : ProcReader(proc).Pids()) {
    UniqueFd fd = OpenIfItIs(fmt::format("{}/{}/ns/net", proc, pid), inode);
    if (fd.valid()) {
      return fd;
    }
  }
  // The node's mounts, or ours where it is the same or does not tell.
  for (const char* const process : {"1", "self"}) {
    UniqueFd fd = OpenMounted(fmt::format("{}/{}", proc, process), inode);
    if (fd.valid()) {
      return fd;
    }
  }
  return NotFoundError(fmt::format("nobody is in the network namespace {}", inode));
}

std::string PathForPrograms(const UniqueFd& held) {
  return fmt::format("/proc/{}/fd/{}", ::getpid(), held.get());
}

bool IsNodeNetwork(const ProcReader& proc, uint64_t inode, int starter) {
  const auto is = [inode](const Result<uint64_t>& other) { return other.ok() && *other == inode; };
  return is(proc.NamespaceInode(1, "net")) || is(proc.NamespaceInode(starter, "net")) ||
         is(ProcReader().NamespaceInode(::getpid(), "net"));
}

}  // namespace hearth::agent
