#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dynamo/view/graph_objects.h"
#include "dynamo/view/problem.h"
#include "json/value.h"

// A graph from its components over checkpoints and snapshots down to pods, with the reason for
// whatever is stuck and how each pod came up. Pure.
namespace hearth::dynamo {

// What a pod says of its own start (snapshot/protocol/start_proof.h).
struct PodStart {
  std::string way;     // restored, cold; empty: it says nothing
  std::string reason;  // of a cold start
  std::string from;    // "<checkpoint id>/<version>"
  std::string digest;
  std::vector<std::pair<std::string, std::string>> phases;  // name, seconds; as it says them

  static PodStart Of(json::View pod);
};

struct ChainNode {
  enum class Kind { kGraph, kComponent, kCheckpoint, kJob, kSnapshot, kContent, kPod };
  Kind kind = Kind::kGraph;
  std::string name;
  std::optional<int64_t> ready;  // replicas of a component, components of a graph
  int64_t wanted = 0;
  std::string status;                 // one word; Missing: it is named somewhere and not there
  bool settled = false;               // there is nothing left to wait for
  std::string type;                   // of components: worker; of graphs: the engine
  std::vector<std::string> runs;      // of components: what runs them, "Deployment llm-worker"
  std::string node;                   // of pods and contents
  std::string checkpoint_id;          // of checkpoints
  std::string version;                // of checkpoints and snapshots
  bool earlier = false;               // a checkpoint that its component does not use (any more)
  std::string waits_for;              // what is under way, in words
  std::optional<int64_t> size_bytes;  // of contents
  std::string digest;                 // of contents
  PodStart start;                     // of pods
  std::vector<Problem> problems;
  std::vector<ChainNode> below;
};

ChainNode MakeChain(const GraphObjects& objects);
// One checkpoint and what is below it; its key must be among `objects.checkpoints`.
ChainNode MakeCheckpointChain(const GraphObjects& objects, const kube::ObjectKey& checkpoint);

struct ChainSummary {
  int64_t pods = 0;  // without those of checkpoint Jobs
  int64_t ready_pods = 0;
  int64_t restored_pods = 0;
  int64_t cold_pods = 0;
  int64_t checkpoints = 0;  // that are used
  int64_t ready_checkpoints = 0;
  int64_t problems = 0;

  bool stuck() const { return problems > 0; }
};
ChainSummary Summarize(const ChainNode& chain);

// All problems of a chain, one line each: "pod llm-worker-x: Unschedulable: no node fits".
std::vector<std::string> ProblemLines(const ChainNode& chain);

// Lines with columns that stand below each other; foreign bytes are made harmless for a terminal.
std::string ToText(const ChainNode& chain, const std::vector<std::string>& unread);
// For machines; the shape is in docs/graphs-cli.md. `root` is what the chain is called: "graph".
json::Value ToJson(const ChainNode& chain, const std::vector<std::string>& unread,
                   std::string_view root);

}  // namespace hearth::dynamo
