#pragma once

#include <string>
#include <vector>

#include "agent/pages/page_plan.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "base/wait_limit.h"
#include "snapshot/artifact/artifact.h"

namespace hearth::agent {

// A page file that is compressed, as CRIU reads it: in memory, ready to be shown in its place.
struct ExpandedFile {
  std::string name;  // pages-N.img
  UniqueFd tree;
};

// All of an artifact that CRIU needs: what the plan fills is left out, and nothing when there is no
// plan (null). Every chunk in them was verified. `place` as for MakeUnlistedFile. kDataLoss names
// file and chunk. kExhausted: there is not enough memory.
Result<std::vector<ExpandedFile>> ExpandForCriu(const snapshot::Artifact& artifact,
                                                const PagePlan* filled, const std::string& place,
                                                const WaitLimit& limit);

}  // namespace hearth::agent
