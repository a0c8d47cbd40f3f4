// A tree for people.
#include <fmt/format.h>

#include <utility>

#include "base/strings.h"
#include "command_line/text_tree.h"
#include "grove/view/internal/words.h"
#include "grove/view/tree.h"

namespace hearth::grove {
namespace {

using command_line::TextTreeNode;

std::string_view Word(TreeNode::Kind kind) {
  switch (kind) {
    case TreeNode::Kind::kSet:
      return "set";
    case TreeNode::Kind::kReplica:
    case TreeNode::Kind::kGroupReplica:
      return "replica";
    case TreeNode::Kind::kGroup:
      return "group";
    case TreeNode::Kind::kClique:
      return "clique";
    case TreeNode::Kind::kPod:
      return "pod";
  }
  return "";
}

std::string DetailsOf(const TreeNode& node) {
  switch (node.kind) {
    case TreeNode::Kind::kReplica:
    case TreeNode::Kind::kGroupReplica:
      return node.base_gang.empty() ? fmt::format("gang {}", node.gang)
                                    : fmt::format("gang {} after {}", node.gang, node.base_gang);
    case TreeNode::Kind::kPod:
      return node.node.empty() ? "" : fmt::format("on {}", node.node);
    default:
      return "";
  }
}

std::string DetailsOf(const ClaimNode& claim) {
  std::vector<std::string> parts;
  if (!claim.scope.empty()) {
    parts.push_back(fmt::format("{} of {}", claim.scope, claim.claim_template));
  }
  parts.push_back(Counted(static_cast<int64_t>(claim.consumers.size()), "pod"));
  for (const Device& device : claim.devices) {
    parts.push_back(fmt::format("{}/{}/{}", device.driver, device.pool, device.name));
  }
  return Join(parts, ", ");
}

std::vector<std::string> Remarks(const std::vector<Problem>& problems) {
  std::vector<std::string> remarks;
  for (const Problem& problem : problems) {
    remarks.push_back(problem.message.empty() ? problem.reason
                                              : problem.reason + ": " + problem.message);
  }
  return remarks;
}

TextTreeNode Drawn(const TreeNode& node) {
  TextTreeNode drawn{
      .name = fmt::format("{} {}", Word(node.kind), node.name),
      .cells = {fmt::format("{}/{}", node.ready, node.wanted), node.status, DetailsOf(node)},
      .remarks = Remarks(node.problems)};
  for (const ClaimNode& claim : node.claims) {
    drawn.below.push_back({.name = "claim " + claim.name,
                           .cells = {"", claim.status, DetailsOf(claim)},
                           .remarks = Remarks(claim.problems)});
  }
  for (const TreeNode& child : node.children) {
    drawn.below.push_back(Drawn(child));
  }
  return drawn;
}

std::string SummaryText(const TreeSummary& summary) {
  std::string text = fmt::format("{}: {} ready", Counted(summary.pods, "pod"), summary.ready_pods);
  if (summary.gated_pods > 0) {
    text += fmt::format(", {} gated", summary.gated_pods);
  }
  text +=
      fmt::format("; {}: {} allocated", Counted(summary.claims, "claim"), summary.allocated_claims);
  if (summary.missing_claims > 0) {
    text += fmt::format(", {} missing", summary.missing_claims);
  }
  return text + "; " + Counted(summary.problems, "problem") + "\n";
}

}  // namespace

std::string ToText(const TreeNode& tree) {
  return command_line::TreeText({"NAME", "READY", "STATUS", "DETAILS"}, Drawn(tree)) +
         SummaryText(Summarize(tree));
}

}  // namespace hearth::grove
