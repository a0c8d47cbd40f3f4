#include "agent/files/internal/remover.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <vector>

#include "agent/files/file_entry.h"
#include "agent/files/internal/beneath.h"
#include "agent/files/internal/directory_names.h"
#include "agent/files/path_list.h"
#include "base/unique_fd.h"

namespace hearth::agent::files {
namespace {

constexpr int kDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

// No directory of that path, whatever there is instead, or one that is none of ours.
bool IsElsewhere(int error) {
  return error == ENOENT || error == ENOTDIR || error == ELOOP || error == EXDEV;
}

Status Failed(int error, const std::string& path) {
  return Status::FromErrno(error, "cannot remove " + ShownPath(path));
}

}  // namespace

Status Remover::Remove(const std::string& path) {
  if (path.empty() || left_out_.Covers(path)) {
    return Status::Ok();
  }
  const PlacedName place = SplitPath(path);
  const UniqueFd parent = OpenBeneath(root_, place.parent, kDirectory);
  if (!parent.valid()) {
    return IsElsewhere(errno) ? Status::Ok() : Failed(errno, path);
  }
  const Result<bool> gone = RemoveName(parent.get(), place.name, path);
  return gone.status();
}

Result<bool> Remover::RemoveName(int directory, const std::string& name, const std::string& path) {
  ASSIGN_OR_RETURN(const std::optional<NamedFile> file,
                   Look(directory, name).WithContext(ShownPath(path)));
  if (!file) {
    return true;
  }
  if (file->mount_root) {
    return false;
  }
  if (S_ISDIR(file->stat.st_mode)) {
    return RemoveDirectory(directory, name, path);
  }
  if (::unlinkat(directory, name.c_str(), 0) != 0 && errno != ENOENT) {
    return errno == EBUSY ? Result<bool>(false) : Failed(errno, path);
  }
  ++removed_;
  return true;
}

Result<bool> Remover::RemoveDirectory(int directory, const std::string& name,
                                      const std::string& path) {
  const UniqueFd inside(::openat(directory, name.c_str(), kDirectory));
  if (!inside.valid()) {
    return Failed(errno, path);
  }
  RETURN_IF_ERROR(EmptyOpen(inside.get(), path, {}));
  if (::unlinkat(directory, name.c_str(), AT_REMOVEDIR) != 0 && errno != ENOENT) {
    const bool stays = errno == ENOTEMPTY || errno == EEXIST || errno == EBUSY;
    return stays ? Result<bool>(false) : Failed(errno, path);
  }
  ++removed_;
  return true;
}

Status Remover::Empty(const std::string& path, const std::set<std::string>& kept) {
  if (path.empty() || left_out_.Covers(path)) {
    return Status::Ok();
  }
  const UniqueFd directory = OpenBeneath(root_, path, kDirectory);
  if (!directory.valid()) {
    return IsElsewhere(errno) ? Status::Ok() : Failed(errno, path);
  }
  return EmptyOpen(directory.get(), path, kept);
}

Status Remover::EmptyOpen(int directory, const std::string& path,
                          const std::set<std::string>& kept) {
  ASSIGN_OR_RETURN(const std::vector<DirectoryName> names,
                   NamesIn(directory).WithContext(ShownPath(path)));
  for (const DirectoryName& name : names) {
    std::string below = path + "/" + name.text;
    if (left_out_.CoversItself(below)) {
      continue;
    }
    if (kept.contains(below)) {
      RETURN_IF_ERROR(Empty(below, kept));
    } else {
      RETURN_IF_ERROR(RemoveName(directory, name.text, below));
    }
  }
  return Status::Ok();
}

}  // namespace hearth::agent::files
