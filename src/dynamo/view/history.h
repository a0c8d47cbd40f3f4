#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "dynamo/view/graph_objects.h"
#include "json/value.h"

// What became of the components of a graph, as far as the cluster still knows it: the pod templates
// that ran, how many run now, and the checkpoints of each. Pure.
namespace hearth::dynamo {

struct Generation {
  std::string component;
  int64_t revision = 0;     // 0: nobody counts them
  std::string hash;         // of the pod template
  std::string worker_hash;  // of the workers' generation; empty: no worker
  std::string checkpoint;   // of that generation
  std::string phase;        // of the checkpoint
  int64_t pods = 0;         // that are there now
  std::vector<std::string> images;
  std::optional<WallTime> created;
};

struct History {
  std::string name_space;
  std::string graph;
  std::string restart_id;
  std::string restart_phase;
  std::string update_phase;
  std::string update_start;
  std::string update_end;
  std::vector<Generation> generations;  // by component, oldest first
};

// `replica_sets` are those with the graph's label; generations of pods that no ReplicaSet has made
// are told by the pods themselves.
History HistoryOf(const GraphObjects& objects, const std::vector<kube::Object>& replica_sets);

std::string ToText(const History& history, WallTime now);
json::Value ToJson(const History& history);

}  // namespace hearth::dynamo
