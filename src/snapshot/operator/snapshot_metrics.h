#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/metrics.h"
#include "kube/model/names.h"

namespace hearth::snapshot {

// What a snapshot's life comes to in numbers:
//   hearth_snapshots{state}                              how many there are; pending, ready, failed
//   hearth_snapshot_captures_total{result,reason}        how captures ended
//   hearth_snapshot_capture_duration_seconds             from the wish to Ready
//   hearth_snapshot_artifact_deletions_total{result}     deleted, nothing_stored, shared, abandoned
// Thread-safe.
class SnapshotMetrics {
 public:
  explicit SnapshotMetrics(Metrics& metrics);

  // "pending", "ready" or "failed"; a snapshot is counted in one of them.
  void Is(const kube::ObjectKey& snapshot, std::string_view state);
  void Gone(const kube::ObjectKey& snapshot);
  void Captured(const std::string& reason, Duration took);
  void Failed(const std::string& reason);
  void ArtifactLeft(std::string_view result);

 private:
  Gauge GaugeOf(std::string_view state);
  Counter Captures(std::string_view result, const std::string& reason);

  Metrics& metrics_;
  Histogram duration_;
  Guarded<std::map<kube::ObjectKey, std::string>> states_;
};

}  // namespace hearth::snapshot
