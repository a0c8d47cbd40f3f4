#include "agent/host/upper_layer.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace hearth::agent {
namespace {

bool IsBelieved(const ProcReader& proc, int pid) {
  const auto theirs = proc.NamespaceInode(pid, "user");
  const auto ours = proc.NamespaceInode(::getpid(), "user");
  return theirs.ok() && ours.ok() && *theirs == *ours;
}

// Links lead where they lead for that process, not for us.
Result<UniqueFd> OpenAsSeenBy(const std::string& root, const std::string& path) {
  const UniqueFd top(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!top.valid()) {
    return Status::FromErrno(errno, root);
  }
  open_how how{};
  how.flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  UniqueFd directory(
      static_cast<int>(::syscall(SYS_openat2, top.get(), path.c_str(), &how, sizeof(how))));
  if (!directory.valid()) {
    return Status::FromErrno(errno, root + path);
  }
  return directory;
}

Result<UpperLayer> OpenBy(const ProcReader& proc, const std::vector<MountEntry>& mounts, int pid) {
  ASSIGN_OR_RETURN(const std::string text, proc.MountInfo(pid));
  ASSIGN_OR_RETURN(const std::vector<MountEntry> outside, ParseMountInfo(text));
  UpperLayer layer;
  ASSIGN_OR_RETURN(layer.path, OverlayUpperDirectory(mounts, outside));
  if (!layer.path.starts_with('/')) {
    return Status(Code::kUnsupported, "the container's upper layer was mounted as '" + layer.path +
                                          "', which does not say where it is");
  }
  ASSIGN_OR_RETURN(layer.directory, OpenAsSeenBy(proc.RootOf(pid), layer.path));
  return layer;
}

}  // namespace

Result<UpperLayer> OpenUpperLayer(const ProcReader& proc, const std::vector<MountEntry>& mounts,
                                  int parent) {
  if (parent > 0 && IsBelieved(proc, parent)) {
    if (auto layer = OpenBy(proc, mounts, parent); layer.ok()) {
      return layer;
    }
  }
  return OpenBy(proc, mounts, ::getpid());
}

}  // namespace hearth::agent
