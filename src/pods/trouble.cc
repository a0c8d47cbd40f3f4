#include "pods/trouble.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace hearth::pods {
namespace {

using json::View;
using Line = Trouble::Line;

// Reasons to wait that pass by themselves.
constexpr std::array<std::string_view, 2> kPassing = {"ContainerCreating", "PodInitializing"};

View ConditionOf(View pod, std::string_view type) {
  for (const View condition : pod["status"]["conditions"].items()) {
    if (condition["type"].Equals(type)) {
      return condition;
    }
  }
  return {};
}

void AddUnscheduled(View pod, std::vector<Line>& lines) {
  const View condition = ConditionOf(pod, "PodScheduled");
  if (condition["status"].Equals("False") && !condition["reason"].Equals("SchedulingGated")) {
    lines.push_back({condition["reason"].StringOr(""), condition["message"].StringOr("")});
  }
}

void AddContainer(View status, std::vector<Line>& lines) {
  const View waiting = status["state"]["waiting"];
  const View ended = status["state"]["terminated"];
  const std::string reason = waiting["reason"].StringOr("");
  const bool passing = std::find(kPassing.begin(), kPassing.end(), reason) != kPassing.end();
  const auto add = [&](std::string why, const std::string& message) {
    lines.push_back({std::move(why), "container " + status["name"].StringOr("") +
                                         (message.empty() ? "" : ": " + message)});
  };
  if (!reason.empty() && !passing) {
    add(reason, waiting["message"].StringOr(""));
  } else if (ended["exitCode"].Int().value_or(0) != 0) {
    add(ended["reason"].StringOr("Error"), ended["message"].StringOr(""));
  }
}

void AddContainers(View pod, std::vector<Line>& lines) {
  for (const char* const list : {"initContainerStatuses", "containerStatuses"}) {
    for (const View container : pod["status"][list].items()) {
      AddContainer(container, lines);
    }
  }
}

void AddEnd(View pod, std::vector<Line>& lines) {
  const View status = pod["status"];
  const std::string reason = status["reason"].StringOr("");
  const std::string message = status["message"].StringOr("");
  if (status["phase"].Equals("Failed") && !(reason.empty() && message.empty())) {
    lines.push_back({reason.empty() ? "Failed" : reason, message});
  }
}

}  // namespace

bool IsReady(View pod) { return ConditionOf(pod, "Ready")["status"].Equals("True"); }

bool IsDeleting(View pod) { return pod["metadata"]["deletionTimestamp"].exists(); }

Trouble Trouble::Of(View pod) {
  Trouble trouble;
  for (const View gate : pod["spec"]["schedulingGates"].items()) {
    trouble.gates.push_back(gate["name"].StringOr(""));
  }
  AddUnscheduled(pod, trouble.lines);
  AddContainers(pod, trouble.lines);
  const View phase = pod["status"]["phase"];
  if (IsDeleting(pod)) {
    trouble.word = "Terminating";
  } else if (IsReady(pod)) {
    trouble.word = "Ready";
  } else if (phase.Equals("Failed") || phase.Equals("Succeeded")) {
    trouble.word = phase.StringOr("");
  } else if (!trouble.gates.empty()) {
    trouble.word = "Gated";
  } else if (!trouble.lines.empty()) {
    trouble.word = trouble.lines.front().reason;
  } else {
    trouble.word = pod["spec"]["nodeName"].StringOr("").empty() ? "Pending" : "Starting";
  }
  AddEnd(pod, trouble.lines);
  return trouble;
}

}  // namespace hearth::pods
