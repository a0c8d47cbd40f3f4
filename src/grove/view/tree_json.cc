// A tree for machines.
#include <utility>

#include "grove/view/tree.h"

namespace hearth::grove {
namespace {

using json::Value;

std::string_view KindName(TreeNode::Kind kind) {
  switch (kind) {
    case TreeNode::Kind::kSet:
      return "PodCliqueSet";
    case TreeNode::Kind::kReplica:
      return "Replica";
    case TreeNode::Kind::kGroup:
      return "PodCliqueScalingGroup";
    case TreeNode::Kind::kGroupReplica:
      return "GroupReplica";
    case TreeNode::Kind::kClique:
      return "PodClique";
    case TreeNode::Kind::kPod:
      return "Pod";
  }
  return "";
}

Value ProblemsJson(const std::vector<Problem>& problems) {
  Value array = Value::Array();
  for (const Problem& problem : problems) {
    array.Append(Value::Object({{"reason", problem.reason}, {"message", problem.message}}));
  }
  return array;
}

Value ClaimJson(const ClaimNode& claim) {
  Value consumers = Value::Array();
  for (const std::string& pod : claim.consumers) {
    consumers.Append(pod);
  }
  Value devices = Value::Array();
  for (const Device& device : claim.devices) {
    devices.Append(Value::Object({{"request", device.request},
                                  {"driver", device.driver},
                                  {"pool", device.pool},
                                  {"device", device.name}}));
  }
  return Value::Object({{"name", claim.name},
                        {"status", claim.status},
                        {"scope", claim.scope},
                        {"template", claim.claim_template},
                        {"consumers", std::move(consumers)},
                        {"reserved", uint64_t{claim.reserved}},
                        {"devices", std::move(devices)},
                        {"problems", ProblemsJson(claim.problems)}});
}

Value NodeJson(const TreeNode& node) {
  Value object = Value::Object({{"kind", KindName(node.kind)},
                                {"name", node.name},
                                {"ready", node.ready},
                                {"wanted", node.wanted},
                                {"status", node.status}});
  const auto add = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) {
      object.Set(name, value);
    }
  };
  add("gang", node.gang);
  add("baseGang", node.base_gang);
  add("node", node.node);
  object.Set("problems", ProblemsJson(node.problems));
  Value claims = Value::Array();
  for (const ClaimNode& claim : node.claims) {
    claims.Append(ClaimJson(claim));
  }
  object.Set("claims", std::move(claims));
  Value children = Value::Array();
  for (const TreeNode& child : node.children) {
    children.Append(NodeJson(child));
  }
  object.Set("children", std::move(children));
  return object;
}

}  // namespace

Value ToJson(const TreeNode& tree) {
  const TreeSummary summary = Summarize(tree);
  return Value::Object({{"set", NodeJson(tree)},
                        {"summary", Value::Object({{"pods", summary.pods},
                                                   {"readyPods", summary.ready_pods},
                                                   {"gatedPods", summary.gated_pods},
                                                   {"claims", summary.claims},
                                                   {"allocatedClaims", summary.allocated_claims},
                                                   {"missingClaims", summary.missing_claims},
                                                   {"problems", summary.problems}})}});
}

}  // namespace hearth::grove
