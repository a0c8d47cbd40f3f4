#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grove/view/cluster_facts.h"
#include "json/value.h"

// A set from its replicas down to pods and devices, with the reason for whatever is stuck. Pure.
namespace hearth::grove {

// Why something is not as it should be.
struct Problem {
  std::string reason;  // CamelCase
  std::string message;
};

struct ClaimNode {
  std::string name;
  std::string status;  // Allocated, Pending, Missing, Terminating, Foreign, NotWanted
  std::string scope;   // AllReplicas, PerReplica; empty: nobody wants it
  std::string claim_template;
  std::vector<std::string> consumers;  // pods that name it
  size_t reserved = 0;                 // of these, those it is reserved for
  std::vector<Device> devices;
  std::vector<Problem> problems;
};

struct TreeNode {
  enum class Kind { kSet, kReplica, kGroup, kGroupReplica, kClique, kPod };
  Kind kind = Kind::kSet;
  std::string name;  // of a replica, its index
  // Replicas of a set or group that are available; pods that are ready of all others.
  int64_t ready = 0;
  int64_t wanted = 0;
  std::string status;     // Ready, NotReady, Missing, Terminating, NotWanted; of pods more
  std::string gang;       // of replicas and cliques
  std::string base_gang;  // that is waited for
  std::string node;       // of pods
  std::vector<Problem> problems;
  std::vector<ClaimNode> claims;
  std::vector<TreeNode> children;
};

TreeNode MakeTree(const ClusterFacts& facts);

// How much there is of everything in a tree.
struct TreeSummary {
  int64_t pods = 0;
  int64_t ready_pods = 0;
  int64_t gated_pods = 0;
  int64_t claims = 0;
  int64_t allocated_claims = 0;
  int64_t missing_claims = 0;
  int64_t problems = 0;

  bool stuck() const { return problems > 0 || missing_claims > 0; }
};
TreeSummary Summarize(const TreeNode& tree);

// Lines with columns that stand below each other; foreign bytes are made harmless for a terminal.
std::string ToText(const TreeNode& tree);
// For machines; the shape is in docs/tree-and-plan.md.
json::Value ToJson(const TreeNode& tree);

}  // namespace hearth::grove
