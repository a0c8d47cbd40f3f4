#pragma once

#include <string_view>

#include "agent/node/node_work.h"
#include "base/clock.h"
#include "base/metrics.h"

namespace hearth::agent::node {

// What the agent counts: captures and restores by how they ended, how long each phase took, what
// is under way. Thread-safe.
class NodeMetrics {
 public:
  explicit NodeMetrics(Metrics& metrics) : metrics_(metrics) {}

  enum class Work { kCapture, kRestore };
  enum class End { kDone, kReused, kFailed, kCancelled };
  void Began(Work work);  // has its share of the node
  void Ended(Work work, End end, Duration took, const Phases& phases);
  void Stored(uint64_t bytes, uint64_t stored_bytes);
  void Saved(Duration time);  // by a restore, against a cold start
  void LeaseLost();
  void BeganToWait(Work work);  // for its share
  void EndedToWait(Work work);

 private:
  Metrics& metrics_;
};

}  // namespace hearth::agent::node
