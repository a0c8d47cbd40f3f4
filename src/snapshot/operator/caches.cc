#include "snapshot/operator/caches.h"

#include "snapshot/protocol/node_names.h"

namespace hearth::snapshot {
namespace {

// Contents belong to no namespace and are watched whole.
controller::Scope Within(const Namespaces& namespaces) {
  return {.name_space = namespaces.restricted_to};
}

controller::Scope OfAgents() {
  return {.label_selector = std::string(kComponentLabel) + "=" + std::string(kAgentComponent)};
}

}  // namespace

SnapshotCaches::SnapshotCaches(controller::Manager& manager, const Namespaces& namespaces)
    : snapshots(manager.Watch<SnapshotFields>(
          PodSnapshots(), {Within(namespaces), {SnapshotsByPod(), SnapshotsByContent()}})),
      contents(manager.Watch<ContentFields>(
          PodSnapshotContents(),
          {{},
           {ContentsBySnapshot(), ContentsByNode(), ContentsThatLeave(), ContentsByArtifact()}})),
      pods(manager.Watch<PodFields>(kube::types::Pods(), {Within(namespaces), {}})),
      nodes(manager.Watch<NodeFields>(kube::types::Nodes())),
      leases(manager.Watch<LeaseFields>(kube::types::Leases(), {OfAgents(), {LeasesByHolder()}})),
      agents(manager.Watch<AgentFields>(kube::types::Leases(), {OfAgents(), {}})) {}

}  // namespace hearth::snapshot
