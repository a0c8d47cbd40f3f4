#include "admission/webhook/internal/server_metrics.h"

#include <vector>

namespace hearth::admission::webhook::internal {
namespace {

const std::vector<double>& Bounds() {
  static const std::vector<double> kBounds = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                              0.1,   0.25,   0.5,   1,    2.5,   5};
  return kBounds;
}

}  // namespace

ServerMetrics::ServerMetrics(Metrics& metrics)
    : metrics_(metrics),
      in_flight_(metrics.gauge("dynamo_operator_webhook_in_flight", "Reviews being answered")) {}

void ServerMetrics::End(std::string_view target, const Answer& answer, Duration took) {
  const Endpoint* endpoint = FindEndpoint(target);
  CountRequest(endpoint != nullptr ? std::string(endpoint->path) : "other", answer, took);
  CountDenials(answer);
  if (answer.cold_start && answer.cold_start->asked && !answer.cold_start->dry_run) {
    metrics_
        .counter("hearth_restore_skipped_total",
                 "Pods that asked for a checkpoint and were let start cold, by the reason",
                 {{"reason", std::string(pod_restore::SkipReason(answer.cold_start->why.skip))}})
        .Add();
  }
  in_flight_.Add(-1);
}

void ServerMetrics::CountRequest(const std::string& path, const Answer& answer, Duration took) {
  metrics_
      .counter("dynamo_operator_webhook_requests_total", "Reviews answered, by what was answered",
               {{"path", path}, {"verdict", std::string(VerdictName(answer.verdict))}})
      .Add();
  metrics_
      .histogram("dynamo_operator_webhook_duration_seconds", "Time a review took", {{"path", path}},
                 Bounds())
      .Observe(std::chrono::duration<double>(took).count());
}

void ServerMetrics::CountDenials(const Answer& answer) {
  for (const Rule* rule : answer.rules) {
    metrics_
        .counter("dynamo_operator_webhook_denials_total", "Findings that denied an object, by rule",
                 {{"rule", rule != nullptr ? rule->id : "schema"}})
        .Add();
  }
}

}  // namespace hearth::admission::webhook::internal
