#pragma once

#include <string_view>

#include "base/metrics.h"

namespace hearth::grove {

// What becomes of sets in numbers:
//   hearth_grove_pods_created_total, hearth_grove_pods_deleted_total{reason}
//   hearth_grove_pods_released_total                  gates taken away
//   hearth_grove_gang_terminations_total              replicas that were broken for too long
//   hearth_grove_claims_created_total{level}, hearth_grove_claims_deleted_total{level}
//   hearth_grove_claim_problems_total{level,reason}   conflicts, missing templates, ...
//   hearth_grove_updates_total                        updates that began
// Thread-safe.
class GroveMetrics {
 public:
  explicit GroveMetrics(Metrics& metrics) : metrics_(metrics) {}

  void PodsCreated(size_t count);
  void PodsDeleted(std::string_view reason, size_t count);
  void PodsReleased(size_t count);
  void GangTerminated();
  void ClaimsCreated(std::string_view level, size_t count);
  void ClaimsDeleted(std::string_view level, size_t count);
  void ClaimProblem(std::string_view level, std::string_view reason);
  void UpdateBegan();

 private:
  Metrics& metrics_;
};

}  // namespace hearth::grove
