#include "plan.h"

#include <fmt/format.h>

namespace hearth::bench {

namespace metric {
std::string At(const char* name, int rate) { return fmt::format("{}@{}", name, rate); }
}  // namespace metric

Plan Plan::Quick() {
  return {.pods = 300,
          .few_pods = 50,
          .decode_events = 1000,
          .rounds = 1,
          .phases = {{10, 10}, {100, 100}},
          .burst_changes = 50,
          .bursts = 1,
          .storm_rounds = 2,
          .queue_items = 20000,
          .manifests = 20,
          .validate_starts = 2,
          .door_runs = 50,
          .settle = std::chrono::milliseconds(500)};
}

}  // namespace hearth::bench
