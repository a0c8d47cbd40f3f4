#include "dynamo/recovery/recovery_metrics.h"

#include <string>

namespace hearth::dynamo::recovery {
namespace {

Counter Deleted(Metrics& metrics, std::string_view reason) {
  return metrics.counter("hearth_recovery_pods_deleted_total",
                         "Pods deleted so that they are made anew, by reason",
                         {{"reason", std::string(reason)}});
}

}  // namespace

RecoveryMetrics::RecoveryMetrics(Metrics& metrics)
    : cascades_(
          metrics.counter("hearth_failover_cascades_total",
                          "Groups of failover engines deleted because one of them had ended")),
      cascaded_pods_(Deleted(metrics, kCascade)),
      replaced_pods_(Deleted(metrics, kServerRestarted)) {}

void RecoveryMetrics::Cascaded(size_t pods) {
  cascades_.Add();
  cascaded_pods_.Add(static_cast<double>(pods));
}

void RecoveryMetrics::Replaced() { replaced_pods_.Add(); }

}  // namespace hearth::dynamo::recovery
