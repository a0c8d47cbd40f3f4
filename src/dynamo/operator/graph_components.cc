#include <algorithm>
#include <utility>

#include "dynamo/graph/component_deployment.h"
#include "dynamo/graph/rollout.h"
#include "dynamo/model/labels.h"
#include "dynamo/model/names.h"
#include "dynamo/operator/graph_work.h"
#include "json/time.h"
#include "kube/model/object.h"
#include "pods/lists.h"

// A graph as one DynamoComponentDeployment for each component, without Grove. Workers of a new
// generation come up beside the old ones.
namespace hearth::dynamo {
namespace {

namespace dyn = api::dynamo;
using json::Value;
using Child = controller::Snapshot<ChildComponentFields>;

constexpr std::string_view kMaxSurge = "nvidia.com/deployment-rolling-update-max-surge";
constexpr std::string_view kMaxUnavailable = "nvidia.com/deployment-rolling-update-max-unavailable";

class ByComponent {
 public:
  explicit ByComponent(GraphWork& work) : work_(work), children_(work) {
    for (const Child& child : work.caches.components.Lookup(kByOwner, work.uid())) {
      const auto controller = kube::Meta(child->view()).controller();
      if (controller && controller->uid == work.uid()) {
        mine_.push_back(child);
      }
    }
    std::sort(mine_.begin(), mine_.end(), [](const Child& a, const Child& b) {
      return a->view()["metadata"]["creationTimestamp"].StringOr("") <
             b->view()["metadata"]["creationTimestamp"].StringOr("");
    });
  }

  void Run() {
    if (HasSeveralNodes()) {
      work_.Fail(UnsupportedError("no multinode orchestrator available"));
    }
    PlanRestarts();
    for (const dyn::ComponentSpec& component : work_.graph.spec.components) {
      if (NodesOf(component) == 1) {
        Sync(component);
      }
    }
    RemoveStrangers();
    RemoveSet();
    children_.Send();
    TellRollout();
  }

 private:
  bool HasSeveralNodes() const {
    const auto& components = work_.graph.spec.components;
    return std::any_of(components.begin(), components.end(),
                       [](const auto& component) { return NodesOf(component) > 1; });
  }

  std::string NameOf(const dyn::ComponentSpec& component) const {
    return ComponentDeploymentName(work_.graph.name, component.name, work_.WorkerHashOf(component));
  }

  const Child* Find(std::string_view name) const {
    for (const Child& child : mine_) {
      if (child->name() == name) {
        return &child;
      }
    }
    return nullptr;
  }

  static std::string ComponentOf(const Child& child) {
    return child->view()["metadata"]["labels"][kComponentLabel].StringOr("");
  }

  static std::string StampOf(const Child& child) {
    return child->view()["spec"]["podTemplate"]["metadata"]["annotations"][kRestartAnnotation]
        .StringOr("");
  }

  const ComponentStart* StartOf(const dyn::ComponentSpec& component) const {
    const auto start = work_.starts.find(component.name);
    return start == work_.starts.end() ? nullptr : &start->second;
  }

  int32_t WantedOf(const dyn::ComponentSpec& component) const {
    const ComponentStart* const start = StartOf(component);
    return start != nullptr && start->way == StartWay::kWaits ? 0 : component.replicas.value_or(1);
  }

  void PlanRestarts() {
    std::vector<RestartProgress> restarts;
    for (const dyn::ComponentSpec& component : work_.graph.spec.components) {
      ComponentProgress progress = OfNothing(component.name, dyn::ComponentKind::kDeployment);
      const Child* const child = Find(NameOf(component));
      if (child != nullptr) {
        progress = OfComponentDeployment(component.name,
                                         {.name = std::string((*child)->name()),
                                          .generation = (*child)->generation(),
                                          .status = (*child)->view()["status"]},
                                         WantedOf(component));
      }
      restarts.push_back({.component = component.name,
                          .stamp = child == nullptr ? "" : StampOf(*child),
                          .settled = progress.missing == Missing::kNothing});
      work_.progress.push_back(std::move(progress));
    }
    work_.restart = PlanRestart(work_.graph.spec.restart, work_.before.restart, restarts);
  }

  RunningWorkers RunningOf(const Child& child) const {
    const json::View status = child->view()["status"]["component"];
    return {.deployment = std::string(child->name()),
            .replicas = static_cast<int32_t>(child->view()["spec"]["replicas"].Int().value_or(1)),
            .available = static_cast<int32_t>(status["availableReplicas"].Int().value_or(0))};
  }

  // Of earlier generations; nothing for components that are no workers.
  std::vector<RunningWorkers> OldOf(const dyn::ComponentSpec& component) const {
    std::vector<RunningWorkers> old;
    for (const Child& child : mine_) {
      if (IsWorker(component) && ComponentOf(child) == component.name &&
          child->name() != NameOf(component) && !child->deleting()) {
        old.push_back(RunningOf(child));
      }
    }
    return old;
  }

  void Sync(const dyn::ComponentSpec& component) {
    const int32_t wanted = WantedOf(component);
    ComponentRollout rollout{.wanted = component.replicas.value_or(1), .old = OldOf(component)};
    rollout.held = wanted == 0 && rollout.wanted > 0;
    if (const Child* const child = Find(NameOf(component)); child != nullptr) {
      rollout.now = RunningOf(*child);
    }
    int32_t replicas = wanted;
    if (!rollout.old.empty()) {
      const Value& pod = component.pod_template;
      rollout.limits = LimitsFor(pods::Annotation(pod, kMaxSurge),
                                 pods::Annotation(pod, kMaxUnavailable), rollout.wanted);
      const RolloutStep step = PlanRollout(rollout);
      replicas = step.replicas;
      Carry(step);
      work_.rollout_runs = work_.rollout_runs || !step.complete;
    } else if (IsWorker(component)) {
      updated_.push_back(component.name);
    }
    Want(component, replicas);
  }

  void Carry(const RolloutStep& step) {
    for (const auto& [name, replicas] : step.scale_old) {
      children_.Do([this, child = *Find(name), replicas = replicas] {
        Value patch;
        patch.MakePath("spec.replicas") = replicas;
        return work_.pass.Patch(ComponentDeployments(), *child, std::move(patch));
      });
    }
    for (const std::string& name : step.remove) {
      children_.Remove(ComponentDeployments(), Find(name)->ptr());
    }
  }

  void Want(const dyn::ComponentSpec& component, int32_t replicas) {
    const ComponentStart* const start = StartOf(component);
    const auto stamp = work_.restart.stamps.find(component.name);
    Value object = RenderComponentDeployment(
        {.graph = work_.graph,
         .component = component,
         .worker_hash = work_.WorkerHashOf(component),
         .replicas = replicas,
         .restart_id = stamp == work_.restart.stamps.end() ? "" : stamp->second,
         .start = start == nullptr ? ComponentStart() : *start});
    const Child* const there = Find(NameOf(component));
    if (there != nullptr) {
      // An engine that was worked out for it once stays, should the graph say nothing now.
      const Value engine((*there)->view()["spec"]["backendFramework"]);
      if (!engine.IsNull() && object.FindPath("spec.backendFramework") == nullptr) {
        object["spec"].Set("backendFramework", engine);
      }
    }
    children_.Want(ComponentDeployments(), std::move(object),
                   there == nullptr ? std::nullopt : std::optional(there->ptr()));
  }

  // Of components that the graph does not have, or has under another name.
  void RemoveStrangers() {
    for (const Child& child : mine_) {
      const auto& components = work_.graph.spec.components;
      const auto component =
          std::find_if(components.begin(), components.end(),
                       [&](const auto& one) { return one.name == ComponentOf(child); });
      const bool stays = component != components.end() && NodesOf(*component) == 1 &&
                         (IsWorker(*component) || child->name() == NameOf(*component));
      if (!stays) {
        children_.Remove(ComponentDeployments(), child.ptr());
      }
    }
  }

  void RemoveSet() {
    if (!work_.caches.sets) {
      return;
    }
    for (const auto& set : work_.caches.sets->Lookup(kByOwner, work_.uid())) {
      const auto controller = kube::Meta(set->view()).controller();
      if (controller && controller->uid == work_.uid()) {
        children_.Remove(CliqueSets(), set.ptr());
      }
    }
  }

  void TellRollout() {
    const auto& before = work_.before.rolling_update;
    const std::string now = json::Time{work_.clock.WallNow()}.ToString();
    if (work_.rollout_runs) {
      dyn::RollingUpdateStatus status;
      const bool goes_on = before && before->phase == dyn::RollingUpdatePhase::kInProgress;
      status.phase = dyn::RollingUpdatePhase::kInProgress;
      status.start_time = goes_on ? before->start_time : now;
      status.updated_components = updated_;
      work_.rollout = std::move(status);
      return;
    }
    work_.rollout = before;
    if (before && before->phase == dyn::RollingUpdatePhase::kInProgress) {
      work_.rollout->phase = dyn::RollingUpdatePhase::kCompleted;
      work_.rollout->end_time = now;
      work_.rollout->updated_components = updated_;
    }
  }

  GraphWork& work_;
  Children children_;
  std::vector<Child> mine_;  // oldest first
  std::vector<std::string> updated_;
};

}  // namespace

void SyncComponents(GraphWork& work) { ByComponent(work).Run(); }

}  // namespace hearth::dynamo
