#include "agent/node/node_metrics.h"

#include <string>

namespace hearth::agent::node {
namespace {

std::string Name(NodeMetrics::Work work) {
  return work == NodeMetrics::Work::kCapture ? "capture" : "restore";
}

std::string Name(NodeMetrics::End end) {
  switch (end) {
    case NodeMetrics::End::kDone:
      return "done";
    case NodeMetrics::End::kReused:
      return "reused";
    case NodeMetrics::End::kFailed:
      return "failed";
    case NodeMetrics::End::kCancelled:
      return "cancelled";
  }
  return "";
}

double Seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

// 10 ms to about three hours, doubling.
const std::vector<double>& Bounds() {
  static const std::vector<double> bounds = [] {
    std::vector<double> rising;
    for (double bound = 0.01; bound < 11000; bound *= 2) {
      rising.push_back(bound);
    }
    return rising;
  }();
  return bounds;
}

Gauge UnderWay(Metrics& metrics, NodeMetrics::Work work) {
  return metrics.gauge("snapshot_agent_under_way", "Captures and restores that run now",
                       {{"work", Name(work)}});
}

Gauge Waiting(Metrics& metrics, NodeMetrics::Work work) {
  return metrics.gauge("snapshot_agent_waiting", "Captures and restores that wait for their turn",
                       {{"work", Name(work)}});
}

}  // namespace

void NodeMetrics::Began(Work work) { UnderWay(metrics_, work).Add(1); }

void NodeMetrics::Ended(Work work, End end, Duration took, const Phases& phases) {
  UnderWay(metrics_, work).Add(-1);
  metrics_
      .counter("snapshot_agent_work_total", "Captures and restores by how they ended",
               {{"work", Name(work)}, {"result", Name(end)}})
      .Add();
  metrics_
      .histogram("snapshot_agent_work_seconds", "How long captures and restores took",
                 {{"work", Name(work)}, {"result", Name(end)}}, Bounds())
      .Observe(Seconds(took));
  for (const auto& [phase, duration] : phases) {
    metrics_
        .histogram("snapshot_agent_phase_seconds", "How long each phase of them took",
                   {{"work", Name(work)}, {"phase", phase}}, Bounds())
        .Observe(Seconds(duration));
  }
}

void NodeMetrics::Stored(uint64_t bytes, uint64_t stored_bytes) {
  metrics_.counter("snapshot_agent_captured_bytes_total", "Bytes of workloads that were captured")
      .Add(static_cast<double>(bytes));
  metrics_.counter("snapshot_agent_stored_bytes_total", "Bytes that captures took on disk")
      .Add(static_cast<double>(stored_bytes));
}

void NodeMetrics::Saved(Duration time) {
  metrics_
      .counter("hearth_restore_seconds_saved_total",
               "What restores have saved against the cold starts of what was captured")
      .Add(Seconds(time));
}

void NodeMetrics::LeaseLost() {
  metrics_.counter("snapshot_agent_leases_lost_total", "Captures whose lease was lost on the way")
      .Add();
}

void NodeMetrics::BeganToWait(Work work) { Waiting(metrics_, work).Add(1); }

void NodeMetrics::EndedToWait(Work work) { Waiting(metrics_, work).Add(-1); }

}  // namespace hearth::agent::node
