#pragma once

#include <string>

#include "base/clock.h"
#include "base/metrics.h"

namespace hearth::controller::internal {

// The series that client-go's queues have, so that dashboards made for them work. Without a Metrics
// every call is a single branch.
class WorkQueueMetrics {
 public:
  WorkQueueMetrics(Metrics* metrics, const std::string& name);

  bool on() const { return on_; }
  void Added() {
    if (on_) {
      adds_.Add();
    }
  }
  void Retried() {
    if (on_) {
      retries_.Add();
    }
  }
  void Depth(size_t depth) {
    if (on_) {
      depth_.Set(static_cast<double>(depth));
    }
  }
  void Waited(Duration time);
  void Worked(Duration time);
  void Running(Duration sum, Duration longest);

 private:
  bool on_ = false;
  Counter adds_;
  Counter retries_;
  Gauge depth_;
  Gauge unfinished_;
  Gauge longest_;
  Histogram waited_;
  Histogram worked_;
};

}  // namespace hearth::controller::internal
