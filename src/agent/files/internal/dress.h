#pragma once

#include <sys/stat.h>

#include <string>

#include "agent/files/file_entry.h"
#include "base/result.h"

namespace hearth::agent::files {

// Gives a new file everything but its bytes. The order matters: a new owner takes set-user-id and
// capabilities away, and only the last step may touch times.
Status DressOpen(int fd, const FileEntry& entry);
// The same for one that must not be opened, or cannot be.
Status DressNamed(int directory, const std::string& name, const FileEntry& entry);

// Whether what stat tells is what the entry says: kind, size, permissions, owner, modification,
// device. Not for directories and hard links.
bool SameFacts(const struct stat& stat, const FileEntry& entry);

bool SameTime(const timespec& a, const timespec& b);

}  // namespace hearth::agent::files
