#include <fmt/format.h>

#include <algorithm>

#include "dynamo/view/internal/chain_parts.h"
#include "dynamo/view/internal/reading.h"
#include "pods/trouble.h"
#include "snapshot/protocol/names.h"

namespace hearth::dynamo::view {
namespace {

using json::View;

constexpr std::string_view kSetLabel = "app.kubernetes.io/part-of";

void AddGates(View pod, const pods::Trouble& trouble, std::vector<Problem>& problems) {
  const std::string set = LabelOf(pod, kSetLabel);
  for (const std::string& gate : trouble.gates) {
    const bool groves = gate.starts_with("grove.io/") && !set.empty();
    problems.push_back(
        {"SchedulingGated",
         fmt::format("scheduling gate {}{}", gate,
                     groves ? fmt::format("; hearth tree {} says what it waits for", set) : "")});
  }
}

void AddRestore(View pod, ChainNode& node) {
  const std::string status = AnnotationOf(pod, snapshot::kRestoreStatusAnnotation);
  const std::string message = AnnotationOf(pod, snapshot::kRestoreMessageAnnotation);
  if (status == snapshot::kFailed) {
    node.problems.push_back(
        {"RestoreFailed", message.empty()
                              ? "the agent of its node could not restore it; its log says why"
                              : message});
  } else if (status == snapshot::kInProgress || status == snapshot::kWaiting) {
    const std::string what =
        status == snapshot::kInProgress ? "it is being restored" : "its restore has not begun";
    node.waits_for = message.empty() ? what : what + ": " + message;
  }
}

}  // namespace

bool IsSource(View pod) { return LabelOf(pod, snapshot::kSourceLabel) == "true"; }

ChainNode PodNode(const GraphObjects& objects, View pod) {
  const pods::Trouble trouble = pods::Trouble::Of(pod);
  ChainNode node{.kind = ChainNode::Kind::kPod, .name = NameOf(pod), .status = trouble.word};
  node.settled =
      trouble.word == "Ready" || trouble.word == "Succeeded" || trouble.word == "Terminating";
  node.node = pod["spec"]["nodeName"].StringOr("");
  node.start = PodStart::Of(pod);
  if (!node.settled) {
    AddGates(pod, trouble, node.problems);
    for (const pods::Trouble::Line& line : trouble.lines) {
      node.problems.push_back({line.reason, line.message});
    }
    AddRestore(pod, node);
    AddEvents(objects, "Pod", node.name, node);
  }
  return node;
}

}  // namespace hearth::dynamo::view
