#include "grove/reconcile/grove_metrics.h"

#include <string>

namespace hearth::grove {

void GroveMetrics::PodsCreated(size_t count) {
  metrics_.counter("hearth_grove_pods_created_total", "Pods made for PodCliques")
      .Add(static_cast<double>(count));
}

void GroveMetrics::PodsDeleted(std::string_view reason, size_t count) {
  metrics_
      .counter("hearth_grove_pods_deleted_total", "Pods of PodCliques taken away",
               {{"reason", std::string(reason)}})
      .Add(static_cast<double>(count));
}

void GroveMetrics::PodsReleased(size_t count) {
  metrics_.counter("hearth_grove_pods_released_total", "Pods whose scheduling gate was taken away")
      .Add(static_cast<double>(count));
}

void GroveMetrics::GangTerminated() {
  metrics_
      .counter("hearth_grove_gang_terminations_total",
               "Replicas of sets that were terminated because too few pods were available")
      .Add();
}

void GroveMetrics::ClaimsCreated(std::string_view level, size_t count) {
  metrics_
      .counter("hearth_grove_claims_created_total", "ResourceClaims made",
               {{"level", std::string(level)}})
      .Add(static_cast<double>(count));
}

void GroveMetrics::ClaimsDeleted(std::string_view level, size_t count) {
  metrics_
      .counter("hearth_grove_claims_deleted_total", "ResourceClaims deleted",
               {{"level", std::string(level)}})
      .Add(static_cast<double>(count));
}

void GroveMetrics::ClaimProblem(std::string_view level, std::string_view reason) {
  metrics_
      .counter("hearth_grove_claim_problems_total", "Claims found not to be usable, by pass",
               {{"level", std::string(level)}, {"reason", std::string(reason)}})
      .Add();
}

void GroveMetrics::UpdateBegan() {
  metrics_.counter("hearth_grove_updates_total", "Updates of sets that began").Add();
}

}  // namespace hearth::grove
