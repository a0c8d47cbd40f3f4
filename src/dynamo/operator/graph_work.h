#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/dynamo/graph_status.h"
#include "controller/child.h"
#include "controller/pass.h"
#include "dynamo/checkpoint/component_start.h"
#include "dynamo/graph/graph_verdict.h"
#include "dynamo/graph/restart.h"
#include "dynamo/graph/worker_generation.h"
#include "dynamo/model/component.h"
#include "dynamo/operator/graph_caches.h"
#include "dynamo/operator/graph_options.h"

namespace hearth::dynamo {

// One pass over one graph: what is known, and what has become of it so far.
struct GraphWork {
  controller::Pass& pass;
  const GraphCaches& caches;
  const GraphOptions& options;
  const controller::Snapshot<GraphFields>& cached;
  Clock& clock;
  GraphFacts graph;
  api::dynamo::GraphDeploymentStatus before;
  WorkerGeneration generation;

  std::map<std::string, CheckpointFacts> checkpoints;  // by component; those that are there
  std::map<std::string, ComponentStart> starts;        // by component; those that ask for one
  std::map<std::string, std::string> claim_templates;  // names, by component
  std::optional<Storage> storage;                      // once somebody needed it
  RestartPlan restart;
  std::optional<api::dynamo::RollingUpdateStatus> rollout;
  bool rollout_runs = false;
  std::vector<ComponentProgress> progress;
  std::vector<std::string> failures;  // for the status, each a sentence
  Status again;                       // the first failure that another try may mend

  // Notes a failure and goes on with the rest.
  void Fail(const Status& failure);
  const std::string& uid() const { return uid_of_cached; }
  std::string uid_of_cached;
  std::string WorkerHashOf(const api::dynamo::ComponentSpec& component) const {
    return IsWorker(component) ? generation.hash : std::string();
  }
};

// A reference to the graph as the controlling owner.
kube::OwnerReference OwnerOf(const GraphWork& work);

// Children to be written side by side; what fails is noted.
class Children {
 public:
  explicit Children(GraphWork& work) : work_(work) {}
  // `cached` may be null; it is held until all are sent. The graph becomes the owner.
  void Want(const kube::ResourceType& type, json::Value desired,
            std::optional<controller::ObjectPtr> cached,
            controller::Birth birth = controller::Birth::kCreate);
  void Remove(const kube::ResourceType& type, controller::ObjectPtr cached);
  void Do(std::function<Status()> send) { wishes_.push_back(std::move(send)); }
  void Send();

 private:
  GraphWork& work_;
  std::vector<std::function<Status()>> wishes_;
};

// ---- The steps of a pass, in their order; each in a file of its own.

// graph_shared.cc: accounts, services, claim templates.
void SyncShared(GraphWork& work);
// Once all is as it should be: claim templates of contents that no component has any more. Pods
// that were made from them have their claims.
void ForgetUnused(GraphWork& work);
// graph_checkpoints.cc: finds or makes the checkpoints of components, and forgets old ones.
void SyncCheckpoints(GraphWork& work);
// When the graph is deleted: automatic checkpoints go, or are let go of.
Status ReleaseCheckpoints(GraphWork& work);
// graph_grove.cc, graph_components.cc: what runs the components, on either way. Both take away what
// is left of the other.
void SyncCliqueSet(GraphWork& work);
void SyncComponents(GraphWork& work);
bool UsesGrove(const GraphWork& work);

}  // namespace hearth::dynamo
