#include "controller/internal/work_queue_metrics.h"

#include <vector>

namespace hearth::controller::internal {
namespace {

double Seconds(Duration time) { return std::chrono::duration<double>(time).count(); }

// Ten nanoseconds to about a thousand seconds, as client-go has them.
std::vector<double> Bounds() {
  std::vector<double> bounds;
  double bound = 1e-8;
  for (int i = 0; i < 12; ++i) {
    bounds.push_back(bound);
    bound *= 10;
  }
  return bounds;
}

}  // namespace

WorkQueueMetrics::WorkQueueMetrics(Metrics* metrics, const std::string& name)
    : on_(metrics != nullptr) {
  if (!on_) {
    return;
  }
  const MetricLabels labels = {{"name", name}};
  const std::vector<double> bounds = Bounds();
  adds_ = metrics->counter("workqueue_adds_total", "Keys added to the queue", labels);
  retries_ =
      metrics->counter("workqueue_retries_total", "Keys added again after a failure", labels);
  depth_ = metrics->gauge("workqueue_depth", "Keys that are ready and wait for a worker", labels);
  unfinished_ = metrics->gauge("workqueue_unfinished_work_seconds",
                               "How long the keys handed out have been, added up", labels);
  longest_ = metrics->gauge("workqueue_longest_running_processor_seconds",
                            "How long the key that was handed out first has been", labels);
  waited_ = metrics->histogram("workqueue_queue_duration_seconds",
                               "How long a key was ready before a worker took it", labels, bounds);
  worked_ = metrics->histogram("workqueue_work_duration_seconds",
                               "How long a key was handed out before it was done", labels, bounds);
}

void WorkQueueMetrics::Waited(Duration time) { waited_.Observe(Seconds(time)); }

void WorkQueueMetrics::Worked(Duration time) { worked_.Observe(Seconds(time)); }

void WorkQueueMetrics::Running(Duration sum, Duration longest) {
  unfinished_.Set(Seconds(sum));
  longest_.Set(Seconds(longest));
}

}  // namespace hearth::controller::internal
