#pragma once

#include <string>

#include "base/metrics.h"

namespace hearth::controller::internal {

// The series that controller-runtime has, so that dashboards and alerts made for it work.
struct ReconcileMetrics {
  ReconcileMetrics(Metrics& metrics, const std::string& controller, int workers);

  Counter success;
  Counter error;
  Counter requeue;  // somebody else changed the object meanwhile: again, but no failure
  Counter requeue_after;
  Counter errors;
  Counter terminal_errors;
  Counter panics;
  Counter timeouts;
  Histogram time;
  Gauge active_workers;
};

}  // namespace hearth::controller::internal
