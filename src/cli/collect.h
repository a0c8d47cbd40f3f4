#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/wait_limit.h"
#include "cli/bundle/bundle.h"
#include "dynamo/view/graph_objects.h"
#include "kube/client/client.h"

namespace hearth::cli {

struct CollectOptions {
  std::vector<kube::ObjectKey> graphs;
  std::set<std::string> name_spaces;  // whose events are taken
  bool logs = true;
  uint64_t log_bytes = uint64_t{2} << 20;  // of the end of each log
};

// Puts into the bundle what helps to understand graphs: each chain and its objects, sets of pods,
// events, nodes, the operator and the agents with their logs, versions. What cannot be read is left
// out, and the bundle says so; never reads Secrets or ConfigMaps. Fails only when the cluster does
// not answer at all. The problems that were found, a line each.
Result<std::vector<std::string>> Collect(kube::Client& client, const CollectOptions& options,
                                         const WaitLimit& limit, bundle::Bundle& bundle);

}  // namespace hearth::cli
