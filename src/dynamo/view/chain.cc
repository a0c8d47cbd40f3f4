#include "dynamo/view/chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "base/strings.h"
#include "dynamo/model/labels.h"
#include "dynamo/view/internal/chain_parts.h"
#include "dynamo/view/internal/reading.h"

namespace hearth::dynamo {
namespace {

using json::View;
using view::IsDeleting;
using view::LabelOf;
using view::NameOf;
using Kind = ChainNode::Kind;

constexpr int64_t kReplicasUnlessSaid = 1;

// Names of components are unique whatever their case.
bool IsOf(View object, std::string_view component) {
  return EqualIgnoreCase(LabelOf(object, kComponentLabel), component);
}

// Types of conditions whose True is bad; of all others False is.
bool TellsOfTrouble(std::string_view type) {
  return type.ends_with("Unavailable") || type.ends_with("Failed") || type.ends_with("Degraded");
}

// A capture that is under way holds nobody up that does not say so itself.
bool IsUnderWay(View condition) { return condition["reason"].Equals("CheckpointNotReady"); }

class ChainMaker {
 public:
  explicit ChainMaker(const GraphObjects& objects)
      : objects_(objects), graph_(objects.graph.view()) {}

  ChainNode Make() {
    ChainNode chain{.kind = Kind::kGraph,
                    .name = objects_.graph.meta().key().ToString(),
                    .ready = 0,
                    .type = graph_["spec"]["backendFramework"].StringOr("")};
    for (const View component : graph_["spec"]["components"].items()) {
      chain.below.push_back(Component(component));
      ++chain.wanted;
      chain.ready = *chain.ready + (chain.below.back().status == "Ready" ? 1 : 0);
    }
    AddState(chain);
    AddForgotten(chain);
    return chain;
  }

 private:
  // ---- The graph itself.

  void AddState(ChainNode& chain) const {
    const View ready = view::ConditionOf(graph_, "Ready");
    const std::string state = graph_["status"]["state"].StringOr("initializing");
    chain.status = IsDeleting(graph_) ? "Terminating" : state;
    chain.settled = view::IsTrue(ready) && state != "failed";
    const int64_t generation = objects_.graph.meta().generation();
    const int64_t seen = std::max(graph_["status"]["observedGeneration"].Int().value_or(0),
                                  ready["observedGeneration"].Int().value_or(0));
    if (seen < generation && !IsDeleting(graph_)) {
      chain.settled = false;
      chain.problems.push_back(
          {"NotObserved", fmt::format("the operator has not carried out generation {} yet, only {}",
                                      generation, seen)});
    }
    for (const View condition : graph_["status"]["conditions"].items()) {
      const std::string type = condition["type"].StringOr("");
      const bool bad = TellsOfTrouble(type) ? view::IsTrue(condition) : view::IsFalse(condition);
      if (bad && type == "Ready") {
        chain.problems.push_back(
            {condition["reason"].StringOr("NotReady"), condition["message"].StringOr("")});
      } else if (bad && !IsUnderWay(condition)) {
        chain.problems.push_back({type, view::Told(condition)});
      }
    }
    for (const char* const what : {"restart", "rollingUpdate"}) {
      if (graph_["status"][what]["phase"].Equals("Failed")) {
        chain.problems.push_back(
            {what == std::string_view("restart") ? "RestartFailed" : "RollingUpdateFailed",
             "hearth rollout status says what it waited for"});
      }
    }
    view::AddEvents(objects_, "DynamoGraphDeployment", NameOf(graph_), chain);
  }

  // ---- Components.

  ChainNode Component(View spec) {
    const std::string name = spec["name"].StringOr("");
    known_.insert(name);
    const View status = graph_["status"]["components"][name];
    ChainNode node{.kind = Kind::kComponent, .name = name, .type = spec["type"].StringOr("")};
    node.wanted = spec["replicas"].Int().value_or(kReplicasUnlessSaid);
    const View available = status["availableReplicas"];
    node.ready = status["readyReplicas"].Int().value_or(available.Int().value_or(0));
    node.settled = *node.ready >= node.wanted;
    node.status = node.settled ? "Ready" : "NotReady";
    for (const View each : status["componentNames"].items()) {
      node.runs.push_back(
          fmt::format("{} {}", status["componentKind"].StringOr(""), each.StringOr("")));
    }
    AddCheckpoints(spec, node);
    AddPods(name, node);
    AddDeployments(name, node);
    if (!node.settled && node.problems.empty() && !HasPods(node) && !IsDeleting(graph_)) {
      node.problems.push_back({"PodsMissing", "none of its pods is there"});
    }
    return node;
  }

  void AddPods(std::string_view name, ChainNode& node) const {
    for (const kube::Object& pod : objects_.pods) {
      if (IsOf(pod.view(), name) && !view::IsSource(pod.view())) {
        node.below.push_back(view::PodNode(objects_, pod.view()));
      }
    }
  }

  static bool HasPods(const ChainNode& node) {
    return std::any_of(node.below.begin(), node.below.end(),
                       [](const ChainNode& below) { return below.kind == Kind::kPod; });
  }

  // What its DynamoComponentDeployments say, where it has some.
  void AddDeployments(std::string_view name, ChainNode& node) const {
    for (const kube::Object& deployment : objects_.components) {
      if (!IsOf(deployment.view(), name) || node.settled) {
        continue;
      }
      const View available = view::ConditionOf(deployment.view(), "Available");
      if (view::IsFalse(available)) {
        node.problems.push_back(
            {available["reason"].StringOr("NotAvailable"),
             fmt::format("DynamoComponentDeployment {}: {}", NameOf(deployment.view()),
                         available["message"].StringOr(""))});
      }
      view::AddEvents(objects_, "DynamoComponentDeployment", NameOf(deployment.view()), node);
    }
  }

  // The checkpoint that the component uses comes first, others of it after that.
  void AddCheckpoints(View spec, ChainNode& node) {
    const View config = spec["experimental"]["checkpoint"];
    const bool enabled = config["enabled"].Bool().value_or(false);
    std::string used = config["checkpointRef"].StringOr("");
    if (used.empty()) {
      used = graph_["status"]["checkpoints"][node.name]["checkpointName"].StringOr("");
    }
    used = enabled ? used : "";
    if (!used.empty()) {
      node.below.push_back(UsedCheckpoint(used));
    }
    const bool waits = config["startupPolicy"].Equals("WaitForCheckpoint");
    if (enabled && waits && (used.empty() || !node.below.front().settled) && !node.settled) {
      node.problems.push_back({"WaitsForCheckpoint", WhatIsWaitedFor(node, used)});
    }
    for (const kube::Object& checkpoint : objects_.checkpoints) {
      const std::string name = NameOf(checkpoint.view());
      if (IsOf(checkpoint.view(), node.name) && !shown_.contains(name)) {
        node.below.push_back(EarlierCheckpoint(checkpoint));
      }
    }
  }

  static std::string WhatIsWaitedFor(const ChainNode& node, const std::string& used) {
    if (used.empty()) {
      return "no DynamoCheckpoint was made for it yet";
    }
    const ChainNode& checkpoint = node.below.front();
    return fmt::format("DynamoCheckpoint {} is {}{}", used, checkpoint.status,
                       checkpoint.waits_for.empty() ? "" : ": " + checkpoint.waits_for);
  }

  ChainNode UsedCheckpoint(const std::string& name) {
    shown_.insert(name);
    const kube::Object* const found = view::Find(objects_.checkpoints, name);
    if (found != nullptr) {
      return view::CheckpointNode(objects_, found->view());
    }
    ChainNode node{.kind = Kind::kCheckpoint, .name = name, .status = "Missing"};
    node.problems.push_back(
        {"CheckpointMissing", fmt::format("DynamoCheckpoint {} is not there", name)});
    return node;
  }

  // One that is not used holds nothing up.
  ChainNode EarlierCheckpoint(const kube::Object& checkpoint) {
    ChainNode node = view::CheckpointNode(objects_, checkpoint.view());
    shown_.insert(node.name);
    node.earlier = true;
    node.problems.clear();
    node.below.clear();
    return node;
  }

  // ---- What belongs to the graph and has no place in it.
  void AddForgotten(ChainNode& chain) {
    std::set<std::string> names;
    for (const auto* list : {&objects_.pods, &objects_.checkpoints}) {
      for (const kube::Object& object : *list) {
        const std::string name = LabelOf(object.view(), kComponentLabel);
        const bool known = std::any_of(known_.begin(), known_.end(), [&](const std::string& each) {
          return EqualIgnoreCase(each, name);
        });
        if (!known && !name.empty() && !view::IsSource(object.view())) {
          names.insert(name);
        }
      }
    }
    for (const std::string& name : names) {
      ChainNode node{.kind = Kind::kComponent, .name = name, .ready = 0, .status = "NotWanted"};
      for (const kube::Object& checkpoint : objects_.checkpoints) {
        if (IsOf(checkpoint.view(), name) && !shown_.contains(NameOf(checkpoint.view()))) {
          node.below.push_back(EarlierCheckpoint(checkpoint));
        }
      }
      AddPods(name, node);
      if (!node.below.empty()) {
        chain.below.push_back(std::move(node));
      }
    }
  }

  const GraphObjects& objects_;
  const View graph_;
  std::set<std::string> known_;  // components
  std::set<std::string> shown_;  // checkpoints
};

void Add(const ChainNode& node, bool counts_pods, ChainSummary& summary) {
  summary.problems += static_cast<int64_t>(node.problems.size());
  if (node.kind == Kind::kPod && counts_pods) {
    ++summary.pods;
    summary.ready_pods += node.status == "Ready" ? 1 : 0;
    summary.restored_pods += node.start.way == "restored" ? 1 : 0;
    summary.cold_pods += node.start.way == "cold" ? 1 : 0;
  }
  if (node.kind == Kind::kCheckpoint && !node.earlier) {
    ++summary.checkpoints;
    summary.ready_checkpoints += node.settled ? 1 : 0;
  }
  for (const ChainNode& below : node.below) {
    Add(below, counts_pods && node.kind != Kind::kCheckpoint, summary);
  }
}

}  // namespace

ChainNode MakeChain(const GraphObjects& objects) { return ChainMaker(objects).Make(); }

ChainSummary Summarize(const ChainNode& chain) {
  ChainSummary summary;
  Add(chain, true, summary);
  return summary;
}

}  // namespace hearth::dynamo
