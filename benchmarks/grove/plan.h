#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "base/clock.h"

namespace hearth::bench {

// How large and how long everything is.
struct Plan {
  size_t rounds = 7;
  int replicas = 500;  // of the set that is deployed and scaled, with two pods each
  int churn_low = 25;  // replicas between which the small set goes up and down
  int churn_high = 50;
  int churn_cycles = 10;
  int small_sets = 20;                        // sets of ten pods, one after the other
  size_t few_pods = 100;                      // cached for the lower of two memory figures
  size_t many_pods = 4000;                    // and for the upper one
  std::vector<int> growth = {50, 500, 5000};  // replicas; ours alone, once a run
  // Nothing was sent for so long: it has settled. Longer than what operators wait by themselves.
  Duration quiet = std::chrono::seconds(6);
  Duration limit = std::chrono::minutes(10);  // for any one step

  static Plan Quick() {
    return {.rounds = 1,
            .replicas = 20,
            .churn_low = 2,
            .churn_high = 4,
            .churn_cycles = 3,
            .small_sets = 3,
            .few_pods = 20,
            .many_pods = 200,
            .growth = {5, 10, 20},
            .quiet = std::chrono::seconds(3),
            .limit = std::chrono::minutes(3)};
  }
};
inline constexpr int kPodsPerReplica = 2;

}  // namespace hearth::bench
