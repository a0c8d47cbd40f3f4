#include "agent/restore/private_root.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "agent/restore/namespaces.h"

namespace hearth::agent {
namespace {

constexpr const char* kNull = kNullDevice.data();
// Until it is the root it is mounted here: nobody in a container removes what the kernel made.
constexpr const char* kWayThere = "/proc/fs";
// CRIU's log; all else there is a mount by itself.
constexpr uint64_t kRoom = 64ULL << 20;

Status Failed(const std::string& what) {
  return Status::FromErrno(errno, fmt::format("a root for the restore: {}", what));
}

Result<UniqueFd> OpenWayThere() {
  UniqueFd place(::open(kWayThere, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!place.valid()) {
    return Status::FromErrno(errno, fmt::format("{} in the container", kWayThere));
  }
  struct statfs system {};
  if (::fstatfs(place.get(), &system) != 0 || system.f_type != PROC_SUPER_MAGIC) {
    return Status(Code::kPermissionDenied,
                  fmt::format("{} in the container is not the kernel's: a restore needs its /proc",
                              kWayThere));
  }
  return place;
}

// In the directory that we are in.
Status MakeDirectories() {
  for (const std::string_view place :
       {kContainerPlace, kMountsPlace, kWorkPlace, std::string_view("/proc"),
        std::string_view("/dev"), std::string_view("/run"), std::string_view("/tmp")}) {
    if (::mkdir(std::string(place.substr(1)).c_str(), 0700) != 0) {
      return Failed(std::string(place));
    }
  }
  return Status::Ok();
}

}  // namespace

Result<UniqueFd> CloneNullDevice() { return CloneDevice(kNull); }

Status EnterPrivateRoot(const UniqueFd& null_device) {
  ASSIGN_OR_RETURN(const UniqueFd memory, MakeScratch(kRoom));
  ASSIGN_OR_RETURN(const UniqueFd place, OpenWayThere());
  RETURN_IF_ERROR(MountOver(memory, place, kWayThere));
  if (::fchdir(memory.get()) != 0) {
    return Failed(kWayThere);
  }
  RETURN_IF_ERROR(MakeDirectories());
  const std::string below(kContainerPlace.substr(1));
  if (::syscall(SYS_pivot_root, ".", below.c_str()) != 0 || ::chdir("/") != 0) {
    return Failed("pivot_root");
  }
  if (::mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) != 0) {
    return Failed("/proc");
  }
  const UniqueFd null(::open(kNull, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  return null.valid() ? MountOver(null_device, null, kNull) : Failed(kNull);
}

}  // namespace hearth::agent
