#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace hearth::agent::files {

// Opens what is below `root` and nowhere else: no link is followed, no mount is entered. errno is
// ELOOP for a link, EXDEV for a mount. An empty path is `root` itself.
UniqueFd OpenBeneath(int root, const std::string& path, int flags);

// The same for a directory, which is made with those above it when it is not there. Nothing: it is,
// or is below, a place where something else is mounted. Errors name the path.
Result<std::optional<UniqueFd>> OpenDirectoryBeneath(int root, const std::string& path);
Result<std::optional<UniqueFd>> MakeDirectoryBeneath(int root, const std::string& path);

// What a name in a directory stands for, links not followed.
struct NamedFile {
  struct stat stat {};      // times but the modification's are not asked for
  bool mount_root = false;  // something is mounted there
};
// Nothing when there is none.
Result<std::optional<NamedFile>> Look(int directory, const std::string& name);

}  // namespace hearth::agent::files
