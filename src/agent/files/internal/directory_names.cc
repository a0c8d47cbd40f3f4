#include "agent/files/internal/directory_names.h"

#include <dirent.h>
#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string_view>

#include "base/unique_fd.h"

namespace hearth::agent::files {
namespace {

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

}  // namespace

Result<std::vector<DirectoryName>> NamesIn(int directory) {
  UniqueFd own(::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const std::unique_ptr<DIR, CloseDirectory> stream(own.valid() ? ::fdopendir(own.get()) : nullptr);
  if (!stream) {
    return Status::FromErrno(errno, "cannot list it");
  }
  (void)own.release();  // the stream's now
  std::vector<DirectoryName> names;
  errno = 0;
  while (const dirent* const found = ::readdir(stream.get())) {
    const std::string_view text = found->d_name;
    if (text != "." && text != "..") {
      names.push_back({std::string(text), found->d_type, found->d_ino});
    }
  }
  if (errno != 0) {
    return Status::FromErrno(errno, "cannot list it");
  }
  std::sort(names.begin(), names.end(),
            [](const DirectoryName& a, const DirectoryName& b) { return a.inode < b.inode; });
  return names;
}

}  // namespace hearth::agent::files
