#include "controller/internal/reconcile_metrics.h"

namespace hearth::controller::internal {
namespace {

Counter Total(Metrics& metrics, const std::string& controller, const std::string& result) {
  return metrics.counter("controller_runtime_reconcile_total", "Passes by their result",
                         {{"controller", controller}, {"result", result}});
}

}  // namespace

ReconcileMetrics::ReconcileMetrics(Metrics& metrics, const std::string& controller, int workers)
    : success(Total(metrics, controller, "success")),
      error(Total(metrics, controller, "error")),
      requeue(Total(metrics, controller, "requeue")),
      requeue_after(Total(metrics, controller, "requeue_after")) {
  const MetricLabels labels = {{"controller", controller}};
  const auto counter = [&](const std::string& name, const std::string& help) {
    return metrics.counter("controller_runtime_" + name, help, labels);
  };
  errors = counter("reconcile_errors_total", "Passes that failed");
  terminal_errors = counter("terminal_reconcile_errors_total",
                            "Passes that failed and are not tried again until an input changes");
  panics = counter("reconcile_panics_total", "Passes that ended with an exception");
  timeouts = counter("reconcile_timeouts_total", "Passes that took longer than they may");
  time = metrics.histogram("controller_runtime_reconcile_time_seconds", "How long a pass took",
                           labels, Metrics::DurationBounds());
  active_workers =
      metrics.gauge("controller_runtime_active_workers", "Workers that are in a pass now", labels);
  metrics.gauge("controller_runtime_max_concurrent_reconciles", "Workers there are", labels)
      .Set(workers);
}

}  // namespace hearth::controller::internal
