#pragma once

#include "controller/manager.h"
#include "snapshot/operator/namespaces.h"
#include "snapshot/operator/resources.h"

namespace hearth::snapshot {

// What both controllers of snapshots look at. Copies are cheap.
struct SnapshotCaches {
  // Declares the watches; before the manager runs.
  SnapshotCaches(controller::Manager& manager, const Namespaces& namespaces);

  controller::Cached<SnapshotFields> snapshots;
  controller::Cached<ContentFields> contents;
  controller::Cached<PodFields> pods;
  controller::Cached<NodeFields> nodes;
  controller::Cached<LeaseFields> leases;  // of agents
  controller::Cached<AgentFields> agents;  // the same, blind to renewals
};

}  // namespace hearth::snapshot
