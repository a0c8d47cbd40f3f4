// A chain for machines.
#include <utility>

#include "dynamo/view/chain.h"

namespace hearth::dynamo {
namespace {

using json::Value;
using Kind = ChainNode::Kind;

std::string_view KindName(Kind kind) {
  switch (kind) {
    case Kind::kGraph:
      return "DynamoGraphDeployment";
    case Kind::kComponent:
      return "Component";
    case Kind::kCheckpoint:
      return "DynamoCheckpoint";
    case Kind::kJob:
      return "Job";
    case Kind::kSnapshot:
      return "PodSnapshot";
    case Kind::kContent:
      return "PodSnapshotContent";
    case Kind::kPod:
      return "Pod";
  }
  return "";
}

Value Strings(const std::vector<std::string>& strings) {
  Value array = Value::Array();
  for (const std::string& string : strings) {
    array.Append(string);
  }
  return array;
}

Value StartJson(const PodStart& start) {
  Value phases = Value::Object();
  for (const auto& [name, seconds] : start.phases) {
    phases.Set(name, seconds);
  }
  return Value::Object({{"way", start.way},
                        {"reason", start.reason},
                        {"from", start.from},
                        {"digest", start.digest},
                        {"phases", std::move(phases)}});
}

Value NodeJson(const ChainNode& node) {
  Value object =
      Value::Object({{"kind", KindName(node.kind)}, {"name", node.name}, {"status", node.status}});
  const auto add = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) {
      object.Set(name, value);
    }
  };
  if (node.ready) {
    object.Set("ready", *node.ready);
    object.Set("wanted", node.wanted);
  }
  add("type", node.type);
  if (!node.runs.empty()) {
    object.Set("runs", Strings(node.runs));
  }
  add("node", node.node);
  add("checkpointID", node.checkpoint_id);
  add("version", node.version);
  if (node.kind == Kind::kCheckpoint) {
    object.Set("used", !node.earlier);
  }
  if (node.size_bytes) {
    object.Set("sizeBytes", *node.size_bytes);
  }
  add("digest", node.digest);
  if (!node.start.way.empty()) {
    object.Set("start", StartJson(node.start));
  }
  add("waitsFor", node.waits_for);
  object.Set("problems", ToJson(node.problems));
  Value below = Value::Array();
  for (const ChainNode& each : node.below) {
    below.Append(NodeJson(each));
  }
  object.Set("below", std::move(below));
  return object;
}

}  // namespace

Value ToJson(const ChainNode& chain, const std::vector<std::string>& unread,
             std::string_view root) {
  const ChainSummary summary = Summarize(chain);
  Value object = Value::Object();
  object.Set(root, NodeJson(chain));
  object.Set("summary", Value::Object({{"pods", summary.pods},
                                       {"readyPods", summary.ready_pods},
                                       {"restoredPods", summary.restored_pods},
                                       {"coldPods", summary.cold_pods},
                                       {"checkpoints", summary.checkpoints},
                                       {"readyCheckpoints", summary.ready_checkpoints},
                                       {"problems", summary.problems}}));
  object.Set("unread", Strings(unread));
  return object;
}

}  // namespace hearth::dynamo
