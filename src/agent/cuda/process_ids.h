#pragma once

#include <vector>

#include "agent/host/process_facts.h"
#include "base/result.h"

namespace hearth::agent::cuda {

// Processes keep their ids only in the innermost pid namespace: those are what an artifact names,
// and what they are found by after a restore, however deep they are then. Pure.

// Of processes of `tree`, by their ids as we see them. kNotFound: one is not in the tree.
Result<std::vector<int>> InnermostIds(const std::vector<ProcessFacts>& tree,
                                      const std::vector<int>& pids);

// The other way, within the tree of what was restored, whose first is its root. Who is in a further
// namespace below is not meant. kNotFound: one did not come back. kInternal: an id stands twice.
Result<std::vector<int>> FindRestored(const std::vector<ProcessFacts>& tree,
                                      const std::vector<int>& innermost);

}  // namespace hearth::agent::cuda
