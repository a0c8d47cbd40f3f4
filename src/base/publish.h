#pragma once

#include <string>
#include <string_view>

#include "base/file_system.h"

namespace hearth {

// Replaces `path` so that a reader, or the machine after a crash, sees the old bytes or the new
// ones, never less: stage beside it, sync, rename, sync the directory. Returns only when the new
// bytes are durable.
Status PublishFile(FileSystem& files, const std::string& path, std::string_view bytes,
                   uint32_t mode = 0644);

// The same for a directory that was filled at `staged`, on the same file system as `path`: syncs
// everything below it, then renames it into place. kAlreadyExists when `path` is there; `staged` is
// then left alone.
Status PublishDirectory(FileSystem& files, const std::string& staged, const std::string& path);

// Where PublishFile stages; leftovers of a crash match it and may be removed when nobody is
// publishing.
std::string StagingName(const std::string& path);
Status RemoveStale(FileSystem& files, const std::string& path);

}  // namespace hearth
