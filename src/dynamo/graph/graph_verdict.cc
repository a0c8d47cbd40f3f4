#include "dynamo/graph/graph_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/strings.h"

namespace hearth::dynamo {
namespace {

namespace dyn = api::dynamo;
using controller::Condition;

std::string_view ReasonOf(Missing missing) {
  switch (missing) {
    case Missing::kCapacity:
      return graph_reason::kCapacity;
    case Missing::kUpdate:
      return graph_reason::kUpdating;
    case Missing::kPods:
      return graph_reason::kPods;
    case Missing::kObject:
    case Missing::kNothing:
      break;
  }
  return graph_reason::kSome;
}

Condition Of(std::string_view type, bool is_true, std::string_view reason, std::string message,
             int64_t generation) {
  return {std::string(type), is_true ? "True" : "False", std::string(reason), std::move(message),
          generation};
}

// "Waiting for checkpoints: a (name), b (name)".
std::string Waiting(const GraphProgress& progress) {
  std::vector<std::string> waiting;
  for (const auto& [component, start] : progress.starts) {
    if (start.way == StartWay::kWaits && !start.failed) {
      waiting.push_back(fmt::format("{} ({})", component, start.checkpoint));
    }
  }
  return waiting.empty() ? "" : "Waiting for checkpoints: " + Join(waiting, ", ");
}

// Of components that may not start without.
std::string FailedCheckpoints(const GraphProgress& progress, bool only_waiting) {
  std::vector<std::string> failed;
  for (const auto& [component, start] : progress.starts) {
    if (start.failed && (!only_waiting || start.way == StartWay::kWaits)) {
      failed.push_back(
          fmt::format("{} ({}): {}", component, start.checkpoint,
                      start.message.empty() ? "it failed and does not say why" : start.message));
    }
  }
  return Join(failed, "; ");
}

std::optional<Condition> CheckpointCondition(const GraphProgress& progress) {
  const auto said = [&](bool is_true, std::string_view reason, std::string message) {
    return Of(kCheckpointCondition, is_true, reason, std::move(message), progress.generation);
  };
  if (progress.checkpoints_off) {
    return said(false, "CheckpointsDisabled",
                "checkpoint functionality is disabled in the operator configuration");
  }
  if (progress.starts.empty()) {
    return std::nullopt;
  }
  if (std::string failed = FailedCheckpoints(progress, false); !failed.empty()) {
    return said(false, "CheckpointFailed", std::move(failed));
  }
  std::vector<std::string> missing;
  for (const auto& [component, start] : progress.starts) {
    if (!start.ready) {
      missing.push_back(fmt::format("{} ({})", component, start.checkpoint));
    }
  }
  return missing.empty() ? said(true, "CheckpointsReady", "")
                         : said(false, "CheckpointNotReady", "not ready: " + Join(missing, ", "));
}

struct ReadyVerdict {
  dyn::GraphState state;
  std::string_view reason;
  std::string message;
};

ReadyVerdict NotReady(const GraphProgress& progress) {
  std::set<std::string_view> reasons;
  std::vector<std::string> details;
  for (const ComponentProgress& component : progress.components) {
    const auto start = progress.starts.find(component.name);
    const bool waits = start != progress.starts.end() && start->second.way == StartWay::kWaits;
    if (component.missing == Missing::kNothing || waits) {
      continue;
    }
    reasons.insert(ReasonOf(component.missing));
    details.push_back(fmt::format("{}: {}", component.name, component.detail));
  }
  if (std::string waiting = Waiting(progress); !waiting.empty()) {
    return {dyn::GraphState::kPending, graph_reason::kWaiting, std::move(waiting)};
  }
  if (details.empty() && progress.rollout_runs) {
    return {dyn::GraphState::kPending, graph_reason::kRollout,
            "a new generation of workers is taking over"};
  }
  if (details.empty()) {
    return {dyn::GraphState::kSuccessful, graph_reason::kReady, ""};
  }
  const std::string_view reason = progress.rollout_runs ? graph_reason::kRollout
                                  : reasons.size() == 1 ? *reasons.begin()
                                                        : graph_reason::kMixed;
  return {dyn::GraphState::kPending, reason, "Resources not ready: " + Join(details, "; ")};
}

ReadyVerdict JudgeReady(const GraphProgress& progress) {
  if (!progress.failures.empty()) {
    return {dyn::GraphState::kFailed, graph_reason::kFailed, Join(progress.failures, "; ")};
  }
  if (std::string failed = FailedCheckpoints(progress, true); !failed.empty()) {
    return {dyn::GraphState::kFailed, graph_reason::kCheckpointFailed, std::move(failed)};
  }
  return NotReady(progress);
}

int32_t Number(json::View object, std::string_view field) {
  return static_cast<int32_t>(object[field].Int().value_or(0));
}

// What is missing, in the order in which things come about.
void Finish(ComponentProgress& progress, int32_t wanted, int32_t scheduled, int32_t ready,
            bool seen) {
  const int32_t updated = progress.replicas.updated_replicas;
  if (!seen) {
    progress.missing = Missing::kUpdate;
    progress.detail = "its latest change is not acted on yet";
  } else if (scheduled < wanted) {
    progress.missing = Missing::kCapacity;
    progress.detail = fmt::format("{} of {} are scheduled", scheduled, wanted);
  } else if (updated < wanted) {
    progress.missing = Missing::kUpdate;
    progress.detail = fmt::format("{} of {} are up to date", updated, wanted);
  } else if (ready < wanted) {
    progress.missing = Missing::kPods;
    progress.detail = fmt::format("{} of {} are ready", ready, wanted);
  } else if (progress.replicas.replicas > wanted) {
    progress.missing = Missing::kUpdate;
    progress.detail =
        fmt::format("{} are still there, {} are wanted", progress.replicas.replicas, wanted);
  } else {
    progress.missing = Missing::kNothing;
  }
}

bool SeesItself(const Running& running) {
  return running.status["observedGeneration"].Int().value_or(0) >= running.generation;
}

ComponentProgress Begin(const std::string& component, dyn::ComponentKind kind,
                        const Running& running, json::View counts) {
  ComponentProgress progress{.name = component};
  progress.replicas.component_kind = kind;
  progress.replicas.component_names = {running.name};
  progress.replicas.replicas = Number(counts, "replicas");
  progress.replicas.updated_replicas = Number(counts, "updatedReplicas");
  return progress;
}

}  // namespace

GraphVerdict Judge(const GraphProgress& progress) {
  ReadyVerdict ready = JudgeReady(progress);
  GraphVerdict verdict;
  verdict.state = ready.state;
  verdict.ready = Of(kReadyCondition, ready.state == dyn::GraphState::kSuccessful, ready.reason,
                     std::move(ready.message), progress.generation);
  verdict.checkpoint = CheckpointCondition(progress);
  if (progress.adapter_asked) {
    verdict.adapter = Of(kAdapterCondition, false, "Unsupported",
                         "scalingAdapter is accepted and does nothing; scale components by their "
                         "replicas, or what runs them by its scale sub-resource",
                         progress.generation);
  }
  return verdict;
}

ComponentProgress OfComponentDeployment(const std::string& component, const Running& running,
                                        int32_t wanted) {
  const json::View counts = running.status["component"];
  ComponentProgress progress = Begin(component, dyn::ComponentKind::kDeployment, running, counts);
  progress.replicas.runtime_namespace = counts["runtimeNamespace"].StringOr("");
  progress.replicas.ready_replicas = Number(counts, "readyReplicas");
  progress.replicas.available_replicas = Number(counts, "availableReplicas");
  Finish(progress, wanted, wanted, *progress.replicas.available_replicas, SeesItself(running));
  return progress;
}

ComponentProgress OfClique(const std::string& component, const Running& running, int32_t wanted) {
  ComponentProgress progress =
      Begin(component, dyn::ComponentKind::kPodClique, running, running.status);
  progress.replicas.ready_replicas = Number(running.status, "readyReplicas");
  progress.replicas.scheduled_replicas = Number(running.status, "scheduledReplicas");
  Finish(progress, wanted, *progress.replicas.scheduled_replicas, *progress.replicas.ready_replicas,
         SeesItself(running));
  return progress;
}

ComponentProgress OfScalingGroup(const std::string& component, const Running& running,
                                 int32_t wanted) {
  ComponentProgress progress =
      Begin(component, dyn::ComponentKind::kPodCliqueScalingGroup, running, running.status);
  progress.replicas.available_replicas = Number(running.status, "availableReplicas");
  progress.replicas.scheduled_replicas = Number(running.status, "scheduledReplicas");
  Finish(progress, wanted, *progress.replicas.scheduled_replicas,
         *progress.replicas.available_replicas, SeesItself(running));
  return progress;
}

ComponentProgress OfNothing(const std::string& component, dyn::ComponentKind kind) {
  ComponentProgress progress{.name = component};
  progress.replicas.component_kind = kind;
  progress.missing = Missing::kObject;
  progress.detail = "is not there yet";
  return progress;
}

}  // namespace hearth::dynamo
