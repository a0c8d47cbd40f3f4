#pragma once

#include <sys/stat.h>

#include <span>

#include "agent/files/file_entry.h"
#include "agent/files/internal/tar_output.h"
#include "base/result.h"
#include "base/wait_limit.h"

namespace hearth::agent::files {

// Fills in where a file has bytes when it has holes.
Status FindHoles(int fd, const struct stat& stat, FileEntry& entry);

// Puts the bytes of an open file into the archive, padded. kConflict: there were fewer.
Status CopyBody(int fd, const FileEntry& entry, TarOutput& output, const WaitLimit& limit);

// Fills all of `room` from the beginning of an open file. kConflict: there were fewer bytes.
Status ReadExactly(int fd, std::span<char> room);

// kConflict when the file is not any more as it was when it was opened.
Status CheckUnchanged(int fd, const struct stat& before);

}  // namespace hearth::agent::files
