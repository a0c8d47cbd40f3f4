#include "agent/cuda/process_ids.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace hearth::agent::cuda {

Result<std::vector<int>> InnermostIds(const std::vector<ProcessFacts>& tree,
                                      const std::vector<int>& pids) {
  std::vector<int> ids;
  for (const int pid : pids) {
    const auto process =
        std::find_if(tree.begin(), tree.end(), [&](const ProcessFacts& p) { return p.pid == pid; });
    if (process == tree.end() || process->ns_pids.empty()) {
      return NotFoundError(fmt::format("process {} is not in the container's tree", pid));
    }
    ids.push_back(process->ns_pids.back());
  }
  return ids;
}

Result<std::vector<int>> FindRestored(const std::vector<ProcessFacts>& tree,
                                      const std::vector<int>& innermost) {
  std::map<int, int> by_id;
  for (const ProcessFacts& process : tree) {
    if (process.ns_pids.empty() || process.ns_pids.size() != tree.front().ns_pids.size()) {
      continue;
    }
    if (!by_id.emplace(process.ns_pids.back(), process.pid).second) {
      return InternalError(fmt::format("process id {} stands twice among what was restored",
                                       process.ns_pids.back()));
    }
  }
  std::vector<int> pids;
  for (const int id : innermost) {
    const auto found = by_id.find(id);
    if (found == by_id.end()) {
      return NotFoundError(fmt::format("process {} used CUDA and did not come back", id));
    }
    pids.push_back(found->second);
  }
  return pids;
}

}  // namespace hearth::agent::cuda
