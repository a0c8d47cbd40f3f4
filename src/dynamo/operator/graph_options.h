#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "dynamo/checkpoint/storage.h"
#include "dynamo/operator/graph_caches.h"
#include "dynamo/render/clique_set.h"
#include "dynamo/render/pod_request.h"

namespace hearth::dynamo {

// What the controllers of graphs and components are told.
struct GraphOptions {
  std::string name_space;  // look after graphs of this one only; empty: all
  // Whether those of a namespace are looked after; not said: all are.
  std::function<bool(std::string_view name_space)> includes;
  GraphFeatures features;
  bool checkpoints = true;
  bool gms_snapshots = true;  // checkpoints together with a memory service
  StorageConfig storage;
  std::string seccomp_profile = "profiles/block-iouring.json";
  Surroundings surroundings;
  GroveSettings grove;
  int workers = 10;
};

}  // namespace hearth::dynamo
