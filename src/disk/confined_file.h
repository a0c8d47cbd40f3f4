#pragma once

#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace hearth::disk {

// Opening files whose names somebody else wrote down. No symbolic link on the way is followed, and
// nothing outside the directory is reached. Descriptors are close-on-exec.

// A directory that the user named; links in it are the user's own business.
Result<UniqueFd> OpenDirectory(const std::string& path);
// `path` is relative and was checked with CheckStoredPath.
Result<UniqueFd> OpenDirectoryBelow(int directory, const std::string& path);
// kInvalid when it is no regular file.
Result<UniqueFd> OpenFileBelow(int directory, const std::string& path, int flags);
// Reads all of it. kExhausted when it is larger than `limit`.
Result<std::string> ReadFileBelow(int directory, const std::string& path, uint64_t limit);
Result<uint64_t> SizeOf(int fd, const std::string& name);

}  // namespace hearth::disk
