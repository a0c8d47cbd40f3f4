#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "base/unique_fd.h"

namespace hearth::agent {

// Into another container. Only for a process without other threads: the kernel lets nobody else.

// A directory or file of ours, ready to be shown in another mount namespace: read-only, without
// devices and set-user programs. `executable`: programs in it may be run.
Result<UniqueFd> CloneForMount(const std::string& path, bool executable);

// Of another tree, as it is: what is mounted at `path` below `root`, or a part of it. No link on
// the way is followed, for it would lead into our tree. kPermissionDenied: there is one.
Result<UniqueFd> CloneBelow(int root, const std::string& path);

// A device of ours, ready to be shown; it can be written to.
Result<UniqueFd> CloneDevice(const std::string& path);

// Shows it over `place`, an O_PATH descriptor in the namespace that we are in now; `name` is for
// messages.
Status MountOver(const UniqueFd& tree, const UniqueFd& place, const std::string& name);

// A file system of ours in memory, empty, to be shown in the same way. It has room for so many
// bytes.
Result<UniqueFd> MakeScratch(uint64_t room);

// Enters the host name, IPC, network, cgroup and pid namespaces of a process, and a copy of its
// mount namespace: nobody in the container sees what is mounted there, and it goes with us.
// Children of the caller are then in its pid namespace; the caller itself stays in its own.
// kUnavailable: the process is gone.
Status EnterNamespacesOf(int pidfd);

// Shows what CloneForMount made at `place`, an absolute path in the namespace that we are in now,
// made when it is not there (mode 0700). Within a container only after EnterPrivateRoot.
// kPermissionDenied when there is something else than a directory. Taken away again by the
// destructor, with the directory if it was made.
class ShownDirectory {
 public:
  static Result<ShownDirectory> Show(const UniqueFd& tree, const std::string& place);
  ShownDirectory(ShownDirectory&& other) noexcept;
  ShownDirectory& operator=(ShownDirectory&&) = delete;
  ~ShownDirectory();

  const std::string& place() const { return place_; }

 private:
  ShownDirectory(std::string place, bool made) : place_(std::move(place)), made_(made) {}
  std::string place_;
  bool made_ = false;
};

// A file with these bytes, ready to be shown as by CloneForMount, that is in no directory and goes
// with its last mount. For a moment it is at `place`, which nobody uses then.
Result<UniqueFd> MakeUnlistedFile(std::string_view bytes, const std::string& place);
// With what `write` puts there, for which it has room for so many bytes.
Result<UniqueFd> MakeUnlistedFile(uint64_t room, const std::function<Status(int fd)>& write,
                                  const std::string& place);

// A file shown in the place of another one, `path`, which is left as it is. Taken away again by the
// destructor. kPermissionDenied when the other one is no regular file.
class ShownFile {
 public:
  static Result<ShownFile> Show(const UniqueFd& file, const std::string& path);
  ShownFile(ShownFile&& other) noexcept : path_(std::exchange(other.path_, "")) {}
  ShownFile& operator=(ShownFile&&) = delete;
  ~ShownFile();

 private:
  explicit ShownFile(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace hearth::agent
