#include "agent/restore/outside_mounts.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "agent/restore/namespaces.h"
#include "agent/restore/private_root.h"

namespace hearth::agent {
namespace {

// What a mount of that kind can be shown over.
Result<UniqueFd> MakePlace(const std::string& place, mode_t like) {
  const bool made = S_ISDIR(like) ? ::mkdir(place.c_str(), 0700) == 0
                                  : ::mknod(place.c_str(), S_IFREG | 0600, 0) == 0;
  UniqueFd fd(made ? ::open(place.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC) : -1);
  return fd.valid() ? Result<UniqueFd>(std::move(fd)) : Status::FromErrno(errno, place);
}

}  // namespace

Status ShowOutsideMounts(int container, std::vector<criu::Mount>& mounts) {
  size_t number = 0;
  for (criu::Mount& mount : mounts) {
    if (!mount.value.starts_with('/') || mount.value == kNullDevice) {
      continue;
    }
    const auto tree = CloneBelow(container, mount.value);
    if (tree.status().Is(Code::kNotFound)) {
      mount.value = std::string(kMountsPlace) + mount.value;
      continue;
    }
    RETURN_IF_ERROR(tree.status());
    const std::string place = fmt::format("{}/{}", kMountsPlace, number++);
    struct stat info {};
    if (::fstat(tree->get(), &info) != 0) {
      return Status::FromErrno(errno, mount.value);
    }
    ASSIGN_OR_RETURN(const UniqueFd over, MakePlace(place, info.st_mode));
    RETURN_IF_ERROR(MountOver(*tree, over, place));
    mount.value = place;
  }
  return Status::Ok();
}

}  // namespace hearth::agent
