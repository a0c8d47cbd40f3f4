#pragma once

#include <string>

#include "base/file_system.h"
#include "base/result.h"
#include "disk/owner_lock.h"

namespace hearth::snapshot::internal {

// Beside a directory in staging, not in it: what is published has only what belongs to it. Locked
// while its maker lives, and says on which running kernel that is. On a volume that several nodes
// have, a lock may be seen by those of its own node only (NFS mounted with local locks, some FUSE).
inline std::string OwnerFileOf(const std::string& staged) { return staged + ".owner"; }

// Makes and locks it.
Result<disk::OwnerLock> TakeOwnership(const std::string& staged);

// Takes what nobody works on any more. On this kernel a lock that is free proves it; what another
// one has made must also have rested for a day, longer than any capture lasts. kConflict: it may be
// somebody's.
Result<disk::OwnerLock> TakeAbandoned(FileSystem& files, const std::string& staged);

}  // namespace hearth::snapshot::internal
