#pragma once

#include <cstdint>

#include "agent/files/left_out.h"
#include "base/result.h"
#include "base/wait_limit.h"

namespace hearth::agent {

struct ApplyReport {
  uint64_t placed = 0;      // files that were made or replaced
  uint64_t unchanged = 0;   // that were there already
  uint64_t removed = 0;     // of the image, directories counted
  uint64_t left_alone = 0;  // volumes are mounted there, or it is left out
};

// What reading archives takes from the machine's own files (tables of character sets) is taken now,
// once for the process. To be called before it enters a container: afterwards it would be taken
// from there.
void PrepareToApply();

// Makes the files below `root`, a container of the same image as the one whose files are in
// `images`, equal to those of that container: removes what it had deleted, then what its opaque
// directories hid, then puts every entry in place with all its metadata. Also takes artifacts of
// other agents: any tar with --xattrs, and a list of deleted files. Touches nothing that is left
// out or mounted somewhere below `root`, and nothing outside it, whatever the artifact says. No
// archive, or an empty one, is nothing to place.
// Can be repeated after it was killed or failed at any point: the result is the same.
// Errors name the file. kInvalid: the artifact leads out of the container. kDataLoss: it is
// damaged.
Result<ApplyReport> ApplyFiles(int images, int root, const LeftOut& left_out,
                               const WaitLimit& limit);

}  // namespace hearth::agent
