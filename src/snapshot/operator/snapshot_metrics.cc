#include "snapshot/operator/snapshot_metrics.h"

#include <vector>

namespace hearth::snapshot {
namespace {

// A capture begins when a model is loaded: seconds to hours.
const std::vector<double>& CaptureBounds() {
  static const std::vector<double> kBounds = {1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200};
  return kBounds;
}

}  // namespace

SnapshotMetrics::SnapshotMetrics(Metrics& metrics)
    : metrics_(metrics),
      duration_(metrics.histogram("hearth_snapshot_capture_duration_seconds",
                                  "From the creation of a PodSnapshot until it is Ready", {},
                                  CaptureBounds())) {}

void SnapshotMetrics::Is(const kube::ObjectKey& snapshot, std::string_view state) {
  const auto states = states_.Lock();
  std::string& now = (*states)[snapshot];
  if (now == state) {
    return;
  }
  if (!now.empty()) {
    GaugeOf(now).Add(-1);
  }
  now = state;
  GaugeOf(state).Add(1);
}

void SnapshotMetrics::Gone(const kube::ObjectKey& snapshot) {
  const auto states = states_.Lock();
  const auto found = states->find(snapshot);
  if (found != states->end()) {
    GaugeOf(found->second).Add(-1);
    states->erase(found);
  }
}

void SnapshotMetrics::Captured(const std::string& reason, Duration took) {
  Captures("success", reason).Add();
  duration_.Observe(std::chrono::duration<double>(took).count());
}

void SnapshotMetrics::Failed(const std::string& reason) { Captures("failure", reason).Add(); }

void SnapshotMetrics::ArtifactLeft(std::string_view result) {
  metrics_
      .counter("hearth_snapshot_artifact_deletions_total",
               "Artifacts whose content was deleted, by what became of them",
               {{"result", std::string(result)}})
      .Add();
}

Gauge SnapshotMetrics::GaugeOf(std::string_view state) {
  return metrics_.gauge("hearth_snapshots", "PodSnapshots there are, by state",
                        {{"state", std::string(state)}});
}

Counter SnapshotMetrics::Captures(std::string_view result, const std::string& reason) {
  return metrics_.counter("hearth_snapshot_captures_total", "Captures that ended",
                          {{"result", std::string(result)}, {"reason", reason}});
}

}  // namespace hearth::snapshot
