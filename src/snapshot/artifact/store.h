#pragma once

#include <string>
#include <vector>

#include "base/file_system.h"
#include "base/result.h"
#include "snapshot/protocol/checkpoint_id.h"

namespace hearth::snapshot {

// The artifacts of a storage, whoever made them. Functions are thread-safe, between processes too.

struct ArtifactPlace {
  std::string id;
  std::string version;
  std::string directory;
};

// By id and version. A storage that is not there has none. Names that cannot be artifacts are
// passed over. kPermissionDenied: there may be some that cannot be seen.
Result<std::vector<ArtifactPlace>> ListArtifacts(FileSystem& files, const StorageLayout& layout);

// What the memory service saved for artifacts that are not there: their captures failed. By id and
// version.
Result<std::vector<ArtifactPlace>> ListLoneWeights(FileSystem& files, const StorageLayout& layout);

// Of those, what this pod saved: its word that it is done (gms-save-complete-<uid>) lies with them,
// and nobody else's. Weights do not say more of whose they are, and all namespaces share their ids:
// the rest is left to who looks through the store. False: there is nothing that is the pod's alone.
Result<bool> RemoveLoneWeights(FileSystem& files, const StorageLayout& layout,
                               const std::string& id, const std::string& version,
                               const std::string& pod_uid);

// With what the memory service saved for it, which goes first: as long as the artifact is found, a
// removal that was killed can be done again. The artifact itself is gone at once for whoever looks;
// what is then left of it RemoveAbandoned removes. Absent is fine. kDataLoss: a link is in the way,
// and nothing is removed.
Status RemoveArtifact(FileSystem& files, const StorageLayout& layout, const std::string& id,
                      const std::string& version);

// What captures and removals left that were killed. What somebody still works on stays, and so does
// what other programs put there; what other nodes left, whose locks may not be seen here, stays for
// a day. Returns what was removed, or would be.
Result<std::vector<std::string>> RemoveAbandoned(FileSystem& files, const StorageLayout& layout,
                                                 bool dry_run = false);

}  // namespace hearth::snapshot
