#pragma once

#include <algorithm>
#include <cstdint>

namespace hearth::cel {

// What evaluations may cost, in the units of cel-go as Kubernetes sets them: a variable or field
// access 1, a call 1 or in proportion to what it walks over, a comprehension what its parts cost
// each time round. One call has a limit and all calls of one request share a total. Not
// thread-safe: one budget per request.
class CostBudget {
 public:
  static constexpr uint64_t kPerCall = 1'000'000;  // PerCallLimit
  static constexpr uint64_t kTotal = 10'000'000;   // RuntimeCELCostBudget
  // Statuses of exceeded costs have code kExhausted and one of these reasons.
  static constexpr const char* kCallExceeded = "CallCostExceeded";
  static constexpr const char* kTotalExceeded = "CostBudgetExceeded";

  explicit CostBudget(uint64_t total = kTotal, uint64_t per_call = kPerCall)
      : remaining_(total), per_call_(per_call) {}

  uint64_t remaining() const { return remaining_; }
  uint64_t per_call() const { return per_call_; }
  // What the most recent evaluation cost.
  uint64_t last_cost() const { return last_cost_; }
  // Takes what an evaluation cost, all that is left if it is more.
  void Spend(uint64_t cost) {
    last_cost_ = cost;
    remaining_ -= std::min(cost, remaining_);
  }

 private:
  uint64_t remaining_;
  uint64_t per_call_;
  uint64_t last_cost_ = 0;
};

}  // namespace hearth::cel
