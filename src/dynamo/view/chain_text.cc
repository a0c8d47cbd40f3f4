// A chain for people.
#include <fmt/format.h>

#include "base/strings.h"
#include "command_line/text_tree.h"
#include "command_line/words.h"
#include "dynamo/view/chain.h"
#include "dynamo/view/internal/reading.h"

namespace hearth::dynamo {
namespace {

using command_line::ShortHash;
using command_line::TextTreeNode;
using Kind = ChainNode::Kind;
using Parts = std::vector<std::string>;

constexpr size_t kLongestLine = 1024;

std::string_view Word(Kind kind) {
  switch (kind) {
    case Kind::kGraph:
      return "graph";
    case Kind::kComponent:
      return "component";
    case Kind::kCheckpoint:
      return "checkpoint";
    case Kind::kJob:
      return "job";
    case Kind::kSnapshot:
      return "snapshot";
    case Kind::kContent:
      return "content";
    case Kind::kPod:
      return "pod";
  }
  return "";
}

void AddStart(const PodStart& start, Parts& parts) {
  if (start.way.empty()) {
    return;
  }
  std::string text = start.way;
  if (!start.from.empty()) {
    text += " from " + start.from;
  }
  if (!start.digest.empty()) {
    text += " (" + ShortHash(start.digest) + ")";
  }
  if (!start.reason.empty()) {
    text += ": " + start.reason;
  }
  parts.push_back(std::move(text));
  Parts phases;
  for (const auto& [name, seconds] : start.phases) {
    phases.push_back(fmt::format("{} {} s", name, seconds));
  }
  if (!phases.empty()) {
    parts.push_back(Join(phases, ", "));
  }
}

std::string DetailsOf(const ChainNode& node) {
  Parts parts;
  const auto add = [&](std::string_view before, const std::string& text) {
    if (!text.empty()) {
      parts.push_back(fmt::format("{}{}", before, text));
    }
  };
  add("", node.type);
  add("", Join(node.runs, ", "));
  add("id ", node.checkpoint_id);
  add("version ", node.version);
  add("", node.earlier ? "not used" : "");
  add("on ", node.node);
  add("", node.size_bytes ? command_line::SizeText(static_cast<uint64_t>(*node.size_bytes)) : "");
  add("digest ", ShortHash(node.digest));
  AddStart(node.start, parts);
  add("", node.waits_for);
  return Join(parts, ", ");
}

TextTreeNode Drawn(const ChainNode& node) {
  TextTreeNode drawn{.name = fmt::format("{} {}", Word(node.kind), node.name),
                     .cells = {node.ready ? fmt::format("{}/{}", *node.ready, node.wanted) : "",
                               node.status, DetailsOf(node)}};
  for (const Problem& problem : node.problems) {
    drawn.remarks.push_back(ToText(problem));
  }
  for (const ChainNode& below : node.below) {
    drawn.below.push_back(Drawn(below));
  }
  return drawn;
}

std::string SummaryText(const ChainSummary& summary) {
  using view::Counted;
  return fmt::format("{}: {} ready, {} restored, {} cold; {}: {} ready; {}\n",
                     Counted(summary.pods, "pod"), summary.ready_pods, summary.restored_pods,
                     summary.cold_pods, Counted(summary.checkpoints, "checkpoint"),
                     summary.ready_checkpoints, Counted(summary.problems, "problem"));
}

void AddProblemLines(const ChainNode& node, std::vector<std::string>& lines) {
  for (const Problem& problem : node.problems) {
    const std::string line = fmt::format("{} {}: {}", Word(node.kind), node.name, ToText(problem));
    lines.push_back(Excerpt(line, kLongestLine));
  }
  for (const ChainNode& below : node.below) {
    AddProblemLines(below, lines);
  }
}

}  // namespace

std::vector<std::string> ProblemLines(const ChainNode& chain) {
  std::vector<std::string> lines;
  AddProblemLines(chain, lines);
  return lines;
}

std::string ToText(const ChainNode& chain, const std::vector<std::string>& unread) {
  std::string text = command_line::TreeText({"NAME", "READY", "STATUS", "DETAILS"}, Drawn(chain)) +
                     SummaryText(Summarize(chain));
  for (const std::string& what : unread) {
    text += "not read: " + Excerpt(what, kLongestLine) + "\n";
  }
  return text;
}

}  // namespace hearth::dynamo
