#pragma once

#include <string>

#include "agent/node/content_facts.h"
#include "agent/node/node_work.h"
#include "agent/node/pod_facts.h"
#include "base/wait_limit.h"

// The artifact of an order that is deleted together with it.
namespace hearth::agent::node {

struct RemovalAim {
  std::string checkpoint_id;  // empty: nothing is known to be stored
  std::string version;
};
// What the status tells; when it was never written, what the pod would have been stored as.
RemovalAim FindRemovalAim(const ContentFacts& content, const PodFacts* pod);

// What to answer in the condition ArtifactDeleted; `failure` is to be tried again.
struct RemovalAnswer {
  Status failure;
  std::string reason;
  std::string message;
};
// Removes nothing that is another order's.
RemovalAnswer Remove(NodeWork& work, const ContentFacts& content, const RemovalAim& aim,
                     const WaitLimit& limit);

}  // namespace hearth::agent::node
