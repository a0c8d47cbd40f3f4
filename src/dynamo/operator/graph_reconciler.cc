#include "dynamo/operator/graph_reconciler.h"

#include <fmt/format.h>

#include <utility>

#include "api/dynamo/constants.h"
#include "controller/conditions.h"
#include "dynamo/model/labels.h"
#include "json/time.h"
#include "kube/model/object.h"

namespace hearth::dynamo {
namespace {

namespace dyn = api::dynamo;
using controller::EventType;
using controller::Outcome;
using controller::Pass;
using json::Value;

constexpr std::string_view kPartOfLabel = "app.kubernetes.io/part-of";

// Cliques and groups know their set, the set knows its graph.
controller::Mapper MapPartToGraph(const controller::Cached<CliqueSetFields>& sets) {
  return [sets](const controller::CachedObject& part, const controller::Enqueue& enqueue) {
    const std::string set = part.view()["metadata"]["labels"][kPartOfLabel].StringOr("");
    const auto cached = sets.Get({std::string(part.name_space()), set});
    const auto controller = cached ? kube::Meta((*cached)->view()).controller() : std::nullopt;
    if (controller && controller->kind == Graphs().kind) {
      enqueue({std::string(part.name_space()), controller->name});
    }
  };
}

// To the graph it was made for, and to all that name it.
controller::Mapper MapCheckpointToGraphs(const controller::Cached<GraphFields>& graphs) {
  return [graphs](const controller::CachedObject& checkpoint, const controller::Enqueue& enqueue) {
    const std::string graph = checkpoint.view()["metadata"]["labels"][kGraphLabel].StringOr("");
    if (!graph.empty()) {
      enqueue({std::string(checkpoint.name_space()), graph});
    }
    for (const auto& user : graphs.Lookup(kByCheckpoint, checkpoint.key().ToString())) {
      enqueue(user->key());
    }
  };
}

// A device class comes or goes: whoever waits for one looks again.
controller::Mapper MapToAllGraphs(const controller::Cached<GraphFields>& graphs) {
  return [graphs](const controller::CachedObject&, const controller::Enqueue& enqueue) {
    for (const auto& graph : graphs.List()) {
      enqueue(graph->key());
    }
  };
}

// Credentials come, go or change: pods of the namespace may need to name others.
controller::Mapper MapToGraphsBeside(const controller::Cached<GraphFields>& graphs) {
  return [graphs](const controller::CachedObject& secret, const controller::Enqueue& enqueue) {
    for (const auto& graph : graphs.List(secret.name_space())) {
      enqueue(graph->key());
    }
  };
}

Result<GraphFacts> ReadGraph(const controller::CachedObject& object) {
  GraphFacts graph{.name = std::string(object.name()),
                   .name_space = std::string(object.name_space()),
                   .uid = object.uid()};
  for (const auto& member : object.view()["metadata"]["annotations"].members()) {
    graph.annotations[member.Name()] = member.value.StringOr("");
  }
  ASSIGN_OR_RETURN(graph.spec, api::DecodeAs<dyn::GraphDeploymentSpec>(object.view()["spec"]));
  return graph;
}

GraphProgress ProgressOf(const GraphWork& work) {
  GraphProgress progress{.generation = work.cached->generation(),
                         .components = work.progress,
                         .starts = work.starts,
                         .rollout_runs = work.rollout_runs,
                         .failures = work.failures};
  for (const dyn::ComponentSpec& component : work.graph.spec.components) {
    progress.adapter_asked = progress.adapter_asked || component.scaling_adapter.has_value();
    progress.checkpoints_off = progress.checkpoints_off ||
                               (CheckpointOf(component) != nullptr && !work.options.checkpoints);
  }
  return progress;
}

std::map<std::string, dyn::ComponentCheckpointStatus> CheckpointsOf(const GraphWork& work) {
  std::map<std::string, dyn::ComponentCheckpointStatus> checkpoints;
  for (const auto& [component, start] : work.starts) {
    checkpoints[component] = {.checkpoint_name = start.checkpoint,
                              .checkpoint_id = start.checkpoint_id,
                              .identity_hash = start.checkpoint_id,
                              .ready = start.ready};
  }
  return checkpoints;
}

// Everything but the conditions.
dyn::GraphDeploymentStatus StatusOf(const GraphWork& work, const GraphVerdict& verdict) {
  dyn::GraphDeploymentStatus status = work.before;
  status.state = verdict.state;
  status.checkpoints = CheckpointsOf(work);
  status.rolling_update = work.rollout;
  const bool failed = !work.failures.empty();
  if (!failed) {
    status.observed_generation = work.cached->generation();
    status.components.clear();
    status.restart = work.restart.status;
  }
  for (const ComponentProgress& progress : work.progress) {
    if (!failed || progress.missing != Missing::kObject) {
      status.components[progress.name] = progress.replicas;
    }
  }
  return status;
}

// What people should hear of: that it became ready, and that something is wrong.
void TellChange(GraphWork& work, const GraphVerdict& verdict) {
  const auto before =
      controller::FindCondition(work.cached->view()["status"]["conditions"], kReadyCondition);
  if (verdict.state == dyn::GraphState::kSuccessful && (!before || before->status != "True")) {
    work.pass.Event(Graphs(), *work.cached, EventType::kNormal, "Ready",
                    "all components are ready");
  }
  const bool same =
      before && before->reason == verdict.ready.reason && before->message == verdict.ready.message;
  if (verdict.state == dyn::GraphState::kFailed && !same) {
    work.pass.Event(Graphs(), *work.cached, EventType::kWarning, "ReconcileError",
                    verdict.ready.message);
  }
}

}  // namespace

GraphReconciler::GraphReconciler(controller::Manager& manager, const GraphCaches& caches,
                                 const GraphOptions& options)
    : clock_(manager.clock()), caches_(caches), options_(options) {
  auto builder =
      manager.AddController({.name = "dynamographdeployment", .workers = options.workers}, *this);
  builder.For(caches_.graphs)
      .Owns(caches_.components, Graphs())
      .Owns(caches_.services, Graphs())
      .Owns(caches_.accounts, Graphs())
      .Owns(caches_.roles, Graphs())
      .Owns(caches_.role_bindings, Graphs())
      .Watches(caches_.checkpoints, MapCheckpointToGraphs(caches_.graphs))
      .Watches(caches_.registry_secrets, MapToGraphsBeside(caches_.graphs));
  if (caches_.sets) {
    builder.Owns(*caches_.sets, Graphs())
        .Watches(*caches_.cliques, MapPartToGraph(*caches_.sets))
        .Watches(*caches_.groups, MapPartToGraph(*caches_.sets));
  }
  if (caches_.claim_templates) {
    builder.Owns(*caches_.claim_templates, Graphs())
        .Watches(*caches_.device_classes, MapToAllGraphs(caches_.graphs));
  }
}

Result<Outcome> GraphReconciler::Reconcile(Pass& pass, const kube::ObjectKey& key) {
  const auto cached = caches_.graphs.Get(key);
  if (!cached || !caches_.Include(key.name_space)) {
    return Outcome::Done();
  }
  auto graph = ReadGraph(**cached);
  if (!graph.ok()) {
    return controller::TerminalError(fmt::format("DynamoGraphDeployment {} cannot be read: {}",
                                                 key.ToString(), graph.status().message()));
  }
  GraphWork work{.pass = pass,
                 .caches = caches_,
                 .options = options_,
                 .cached = *cached,
                 .clock = clock_,
                 .graph = *std::move(graph),
                 .before = api::DecodeAs<dyn::GraphDeploymentStatus>((*cached)->view()["status"])
                               .value_or(dyn::GraphDeploymentStatus()),
                 .uid_of_cached = (*cached)->uid()};
  if ((*cached)->deleting()) {
    RETURN_IF_ERROR(Delete(work));
    return Outcome::Done();
  }
  RETURN_IF_ERROR(pass.AddFinalizer(Graphs(), **cached, kFinalizer));
  work.generation = GenerationOf(work.graph);

  SyncShared(work);
  SyncCheckpoints(work);
  if (UsesGrove(work)) {
    SyncCliqueSet(work);
  } else {
    SyncComponents(work);
  }
  work.Fail(NoteGeneration(work));
  RETURN_IF_ERROR(WriteStatus(work));
  RETURN_IF_ERROR(work.again);
  return Outcome::Done();
}

Status GraphReconciler::Delete(GraphWork& work) {
  if (!kube::Meta(work.cached->view()).HasFinalizer(kFinalizer)) {
    return {};
  }
  RETURN_IF_ERROR(ReleaseCheckpoints(work));
  return ToStatus(work.pass.RemoveFinalizer(Graphs(), *work.cached, kFinalizer));
}

// The generation that runs is noted when it runs: at once where somebody else rolls pods, else when
// the last of the old ones is gone.
Status GraphReconciler::NoteGeneration(GraphWork& work) {
  const bool first = work.generation.noted_content.empty();
  if (work.generation.hash.empty() || work.generation.is_noted() || (work.rollout_runs && !first)) {
    return {};
  }
  Value patch;
  Value& annotations = patch.MakePath("metadata.annotations");
  annotations.Set(kWorkerHashAnnotation, work.generation.hash);
  annotations.Set(kWorkerContentAnnotation, work.generation.content);
  return work.pass.Patch(Graphs(), *work.cached, std::move(patch));
}

Status GraphReconciler::WriteStatus(GraphWork& work) {
  const GraphVerdict verdict = Judge(ProgressOf(work));
  if (verdict.state == dyn::GraphState::kSuccessful) {
    ForgetUnused(work);
  }
  const dyn::GraphDeploymentStatus status = StatusOf(work, verdict);
  Value written = api::Encoded(status);
  Value conditions(work.cached->view()["status"]["conditions"]);
  const json::Time now{work.clock.WallNow()};
  for (const auto& condition :
       {std::optional(verdict.ready), verdict.checkpoint, verdict.adapter}) {
    if (condition) {
      conditions = controller::SetCondition(std::move(conditions), *condition, now);
    }
  }
  written.Set("conditions", std::move(conditions));
  ASSIGN_OR_RETURN(const bool sent,
                   work.pass.ApplyStatus(Graphs(), *work.cached, std::move(written)));
  if (sent) {
    TellChange(work, verdict);
  }
  return {};
}

}  // namespace hearth::dynamo
