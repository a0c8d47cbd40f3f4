#pragma once

#include <cstddef>
#include <string_view>

#include "base/metrics.h"

namespace hearth::dynamo::recovery {

// What was put right, in numbers:
//   hearth_failover_cascades_total             groups of engines deleted because one had ended
//   hearth_recovery_pods_deleted_total{reason} pods deleted: kCascade, kServerRestarted
// Thread-safe.
class RecoveryMetrics {
 public:
  static constexpr std::string_view kCascade = "failover_cascade";
  static constexpr std::string_view kServerRestarted = "gms_server_restarted";

  explicit RecoveryMetrics(Metrics& metrics);

  void Cascaded(size_t pods);
  void Replaced();

 private:
  Counter cascades_;
  Counter cascaded_pods_;
  Counter replaced_pods_;
};

}  // namespace hearth::dynamo::recovery
