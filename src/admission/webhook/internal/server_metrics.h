#pragma once

#include <string>
#include <string_view>

#include "admission/webhook/routes.h"
#include "base/clock.h"
#include "base/metrics.h"

namespace hearth::admission::webhook::internal {

// What the server counts. Thread-safe.
class ServerMetrics {
 public:
  explicit ServerMetrics(Metrics& metrics);

  void Begin() { in_flight_.Add(1); }
  // `target` is whatever was asked for; addresses that we do not have count as one.
  void End(std::string_view target, const Answer& answer, Duration took);

 private:
  void CountRequest(const std::string& path, const Answer& answer, Duration took);
  void CountDenials(const Answer& answer);

  Metrics& metrics_;
  Gauge in_flight_;
};

}  // namespace hearth::admission::webhook::internal
