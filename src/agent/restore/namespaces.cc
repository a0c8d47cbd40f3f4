#include "agent/restore/namespaces.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/mount.h>
#include <linux/openat2.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace hearth::agent {
namespace {

// The C library's headers and the kernel's disagree about who declares these.
int OpenTree(int directory, const char* path, unsigned flags) {
  return static_cast<int>(::syscall(SYS_open_tree, directory, path, flags));
}
int MoveMount(int from, const char* from_path, int to, const char* to_path, unsigned flags) {
  return static_cast<int>(::syscall(SYS_move_mount, from, from_path, to, to_path, flags));
}
int SetAttributes(int tree, struct mount_attr& attributes) {
  return static_cast<int>(::syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH | AT_RECURSIVE,
                                    &attributes, sizeof(attributes)));
}

constexpr unsigned kCloneTree = 1;        // OPEN_TREE_CLONE
constexpr unsigned kFromEmptyPath = 0x4;  // MOVE_MOUNT_F_EMPTY_PATH
constexpr unsigned kToEmptyPath = 0x40;   // MOVE_MOUNT_T_EMPTY_PATH

Status WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) {
      return Status::FromErrno(errno, "a file in memory");
    }
    bytes.remove_prefix(count < 0 ? 0 : static_cast<size_t>(count));
  }
  return Status::Ok();
}

Result<UniqueFd> Clone(const std::string& path, uint64_t set) {
  UniqueFd tree(OpenTree(AT_FDCWD, path.c_str(), kCloneTree | O_CLOEXEC));
  if (!tree.valid()) {
    return Status::FromErrno(errno, fmt::format("open_tree {}", path));
  }
  struct mount_attr attributes {};
  attributes.attr_set = set;
  if (SetAttributes(tree.get(), attributes) != 0) {
    return Status::FromErrno(errno, fmt::format("mount_setattr {}", path));
  }
  return tree;
}

// A plain directory, not led to by a link.
Result<UniqueFd> OpenPlace(const std::string& place) {
  UniqueFd fd(::open(place.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (fd.valid()) {
    return fd;
  }
  return errno == ENOTDIR || errno == ELOOP
             ? Status(Code::kPermissionDenied,
                      fmt::format("{} in the container is not a directory", place))
             : Status::FromErrno(errno, fmt::format("{} in the container", place));
}

}  // namespace

Result<UniqueFd> CloneForMount(const std::string& path, bool executable) {
  return Clone(path, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV |
                         (executable ? 0 : MOUNT_ATTR_NOEXEC));
}

Result<UniqueFd> CloneDevice(const std::string& path) {
  return Clone(path, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC);
}

Result<UniqueFd> CloneBelow(int root, const std::string& path) {
  struct open_how how {};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  const UniqueFd found(
      static_cast<int>(::syscall(SYS_openat2, root, path.c_str(), &how, sizeof(how))));
  if (!found.valid()) {
    return errno == ELOOP
               ? Status(Code::kPermissionDenied, fmt::format("{} in the container is a link", path))
               : Status::FromErrno(errno, fmt::format("{} in the container", path));
  }
  UniqueFd tree(OpenTree(found.get(), "", kCloneTree | AT_EMPTY_PATH | O_CLOEXEC));
  return tree.valid() ? Result<UniqueFd>(std::move(tree))
                      : Status::FromErrno(errno, fmt::format("open_tree {}", path));
}

Status MountOver(const UniqueFd& tree, const UniqueFd& place, const std::string& name) {
  return MoveMount(tree.get(), "", place.get(), "", kFromEmptyPath | kToEmptyPath) == 0
             ? Status::Ok()
             : Status::FromErrno(errno, fmt::format("mount over {}", name));
}

Result<UniqueFd> MakeScratch(uint64_t room) {
  constexpr uint64_t kForItself = 1 << 20;
  const std::string size = std::to_string(room + kForItself);
  const UniqueFd context(static_cast<int>(::syscall(SYS_fsopen, "tmpfs", FSOPEN_CLOEXEC)));
  if (!context.valid() ||
      ::syscall(SYS_fsconfig, context.get(), FSCONFIG_SET_STRING, "mode", "0700", 0) != 0 ||
      ::syscall(SYS_fsconfig, context.get(), FSCONFIG_SET_STRING, "size", size.c_str(), 0) != 0 ||
      ::syscall(SYS_fsconfig, context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0) {
    return Status::FromErrno(errno, "a file system in memory");
  }
  UniqueFd tree(
      static_cast<int>(::syscall(SYS_fsmount, context.get(), FSMOUNT_CLOEXEC,
                                 MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC)));
  return tree.valid() ? Result<UniqueFd>(std::move(tree))
                      : Status::FromErrno(errno, "a file system in memory");
}

Status EnterNamespacesOf(int pidfd) {
  constexpr int kAll =
      CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWNET | CLONE_NEWPID | CLONE_NEWCGROUP;
  if (::setns(pidfd, kAll) != 0) {
    return errno == ESRCH ? UnavailableError("the container has ended")
                          : Status::FromErrno(errno, "enter the container's namespaces");
  }
  if (::unshare(CLONE_NEWNS) != 0 ||
      ::mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0) {
    return Status::FromErrno(errno, "a copy of the container's mounts for ourselves");
  }
  return Status::Ok();
}

Result<ShownDirectory> ShownDirectory::Show(const UniqueFd& tree, const std::string& place) {
  // What an earlier one has left that was killed.
  while (::umount2(place.c_str(), MNT_DETACH | UMOUNT_NOFOLLOW) == 0) {
  }
  const bool made = ::mkdir(place.c_str(), 0700) == 0;
  if (!made && errno != EEXIST) {
    return Status::FromErrno(errno, fmt::format("make {} in the container", place));
  }
  const auto target = OpenPlace(place);
  const Status status = target.ok() ? MountOver(tree, *target, place) : target.status();
  if (status.ok()) {
    return ShownDirectory(place, made);
  }
  if (made) {
    ::rmdir(place.c_str());
  }
  return status;
}

ShownDirectory::ShownDirectory(ShownDirectory&& other) noexcept
    : place_(std::exchange(other.place_, "")), made_(other.made_) {}

ShownDirectory::~ShownDirectory() {
  if (place_.empty()) {
    return;
  }
  ::umount2(place_.c_str(), MNT_DETACH | UMOUNT_NOFOLLOW);
  if (made_) {
    ::rmdir(place_.c_str());
  }
}

Result<UniqueFd> MakeUnlistedFile(std::string_view bytes, const std::string& place) {
  return MakeUnlistedFile(
      bytes.size(), [bytes](int fd) { return WriteAll(fd, bytes); }, place);
}

Result<UniqueFd> MakeUnlistedFile(uint64_t room, const std::function<Status(int fd)>& write,
                                  const std::string& place) {
  ASSIGN_OR_RETURN(const UniqueFd memory, MakeScratch(room));
  ASSIGN_OR_RETURN(const ShownDirectory shown, ShownDirectory::Show(memory, place));
  const std::string path = shown.place() + "/file";
  const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0400));
  if (!file.valid()) {
    return Status::FromErrno(errno, path);
  }
  RETURN_IF_ERROR(write(file.get()));
  return CloneForMount(path, false);
}

Result<ShownFile> ShownFile::Show(const UniqueFd& file, const std::string& path) {
  const UniqueFd covered(::open(path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  struct stat info {};
  if (!covered.valid() || ::fstat(covered.get(), &info) != 0) {
    return Status::FromErrno(errno, path);
  }
  if (!S_ISREG(info.st_mode)) {
    return Status(Code::kPermissionDenied, path + " is no regular file");
  }
  RETURN_IF_ERROR(MountOver(file, covered, path));
  return ShownFile(path);
}

ShownFile::~ShownFile() {
  if (!path_.empty()) {
    ::umount2(path_.c_str(), MNT_DETACH | UMOUNT_NOFOLLOW);
  }
}

}  // namespace hearth::agent
