#include "dynamo/view/rollout.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "dynamo/view/internal/reading.h"

namespace hearth::dynamo {
namespace {

using json::Value;
using json::View;
using State = Rollout::State;

constexpr size_t kLongestText = 512;

bool HasItem(View list, std::string_view name) {
  for (const View item : list.items()) {
    if (item.Equals(name)) {
      return true;
    }
  }
  return false;
}

Rollout::Component ReadComponent(View graph, View spec) {
  Rollout::Component component{.name = spec["name"].StringOr("")};
  const View status = graph["status"]["components"][component.name];
  component.wanted = spec["replicas"].Int().value_or(1);
  component.updated = status["updatedReplicas"].Int().value_or(0);
  component.ready =
      status["readyReplicas"].Int().value_or(status["availableReplicas"].Int().value_or(0));
  component.restarting = HasItem(graph["status"]["restart"]["inProgress"], component.name);
  component.done = component.updated >= component.wanted && component.ready >= component.wanted &&
                   !component.restarting;
  const View checkpoint = spec["experimental"]["checkpoint"];
  const View used = graph["status"]["checkpoints"][component.name];
  if (checkpoint["enabled"].Bool().value_or(false) && !used["ready"].Bool().value_or(false) &&
      checkpoint["startupPolicy"].Equals("WaitForCheckpoint")) {
    component.checkpoint = used["checkpointName"].StringOr("(not made yet)");
  }
  return component;
}

// What it still waits for, or what it failed of.
class Judge {
 public:
  Judge(View graph, Rollout& rollout) : graph_(graph), rollout_(rollout) {}

  void Tell() {
    TellObserved();
    TellReady();
    TellRestart();
    TellUpdate();
    const bool all = std::all_of(rollout_.components.begin(), rollout_.components.end(),
                                 [](const Rollout::Component& each) { return each.done; });
    if (failed_) {
      rollout_.state = State::kFailed;
    } else {
      rollout_.state = all && rollout_.reasons.empty() ? State::kDone : State::kUnderWay;
    }
  }

 private:
  void Wait(std::string reason, std::string message) {
    rollout_.reasons.push_back({std::move(reason), std::move(message)});
  }

  void TellObserved() {
    const int64_t seen = graph_["status"]["observedGeneration"].Int().value_or(0);
    if (seen < rollout_.generation) {
      Wait("NotObserved", fmt::format("the operator has carried out generation {} of {}", seen,
                                      rollout_.generation));
    }
  }

  // A failure counts only when it is of what is asked for now: what was wrong before may be mended.
  void TellReady() {
    const View ready = view::ConditionOf(graph_, "Ready");
    if (!view::IsTrue(ready)) {
      Wait(ready["reason"].StringOr("NotReady"), ready["message"].StringOr(""));
    }
    failed_ = graph_["status"]["state"].Equals("failed") &&
              ready["observedGeneration"].Int().value_or(0) >= rollout_.generation;
  }

  void TellRestart() {
    if (rollout_.restart_id.empty()) {
      return;
    }
    const View status = graph_["status"]["restart"];
    if (status["observedID"].Equals(rollout_.restart_id)) {
      rollout_.restart_phase = status["phase"].StringOr("");
    }
    if (rollout_.restart_phase == "Failed") {
      failed_ = true;
      Wait("RestartFailed", fmt::format("restart {} failed", rollout_.restart_id));
    } else if (rollout_.restart_phase != "Completed") {
      Wait("Restarting",
           fmt::format("restart {} is {}", rollout_.restart_id,
                       rollout_.restart_phase.empty() ? "not begun" : rollout_.restart_phase));
    }
  }

  void TellUpdate() {
    rollout_.update_phase = graph_["status"]["rollingUpdate"]["phase"].StringOr("");
    if (rollout_.update_phase == "Failed") {
      failed_ = true;
      Wait("RollingUpdateFailed", "the update of its workers failed");
    } else if (rollout_.update_phase == "Pending" || rollout_.update_phase == "InProgress") {
      Wait("Updating", fmt::format("the update of its workers is {}", rollout_.update_phase));
    }
  }

  const View graph_;
  Rollout& rollout_;
  bool failed_ = false;
};

std::string_view StateName(State state) {
  switch (state) {
    case State::kDone:
      return "Done";
    case State::kUnderWay:
      return "UnderWay";
    case State::kFailed:
      return "Failed";
  }
  return "";
}

std::string ReasonsText(const Rollout& rollout) {
  std::vector<std::string> texts;
  for (const Problem& reason : rollout.reasons) {
    texts.push_back(Excerpt(ToText(reason), kLongestText));
  }
  return Join(texts, "; ");
}

std::string ComponentText(const Rollout::Component& component) {
  std::string text =
      fmt::format("  component {}: {} of {} updated, {} ready", Excerpt(component.name, 64),
                  component.updated, component.wanted, component.ready);
  if (component.restarting) {
    text += ", restarting";
  }
  if (!component.checkpoint.empty()) {
    text += fmt::format(", waits for checkpoint {}", Excerpt(component.checkpoint, 256));
  }
  return text + "\n";
}

}  // namespace

Rollout Rollout::Of(View graph) {
  Rollout rollout{.name_space = graph["metadata"]["namespace"].StringOr(""),
                  .graph = view::NameOf(graph),
                  .generation = graph["metadata"]["generation"].Int().value_or(0),
                  .restart_id = graph["spec"]["restart"]["id"].StringOr("")};
  for (const View component : graph["spec"]["components"].items()) {
    rollout.components.push_back(ReadComponent(graph, component));
  }
  Judge(graph, rollout).Tell();
  return rollout;
}

std::string ToText(const Rollout& rollout) {
  const std::string name =
      fmt::format("graph {}/{}", Excerpt(rollout.name_space, 64), Excerpt(rollout.graph, 256));
  if (rollout.state == State::kDone) {
    return name + " is rolled out\n";
  }
  const bool failed = rollout.state == State::kFailed;
  const std::string reasons = ReasonsText(rollout);
  std::string text = fmt::format("{} {}{}{}\n", name, failed ? "failed" : "is under way",
                                 reasons.empty() ? "" : ": ", reasons);
  for (const Rollout::Component& component : rollout.components) {
    if (!component.done) {
      text += ComponentText(component);
    }
  }
  return text;
}

Value ToJson(const Rollout& rollout) {
  Value components = Value::Array();
  for (const Rollout::Component& component : rollout.components) {
    components.Append(Value::Object({{"name", component.name},
                                     {"wanted", component.wanted},
                                     {"updated", component.updated},
                                     {"ready", component.ready},
                                     {"done", component.done},
                                     {"restarting", component.restarting},
                                     {"waitsForCheckpoint", component.checkpoint}}));
  }
  return Value::Object({{"namespace", rollout.name_space},
                        {"graph", rollout.graph},
                        {"state", StateName(rollout.state)},
                        {"generation", rollout.generation},
                        {"restartID", rollout.restart_id},
                        {"restartPhase", rollout.restart_phase},
                        {"rollingUpdatePhase", rollout.update_phase},
                        {"reasons", ToJson(rollout.reasons)},
                        {"components", std::move(components)}});
}

}  // namespace hearth::dynamo
