#pragma once

#include <cstddef>
#include <cstdint>

namespace hearth::cel::internal {

// Counts what one evaluation costs and what work it does that costs nothing by the rules, such as
// comparing lists that share their parts. Beyond a limit it is exhausted and evaluation unwinds.
class Meter {
 public:
  explicit Meter(uint64_t limit) : limit_(limit), steps_left_(StepsFor(limit)) {}

  // False once the limit is passed.
  bool Charge(uint64_t cost) {
    used_ = cost > UINT64_MAX - used_ ? UINT64_MAX : used_ + cost;
    exhausted_ = exhausted_ || used_ > limit_;
    return !exhausted_;
  }
  // Unpriced work: elements visited, bytes built.
  bool Step(uint64_t steps = 1) {
    exhausted_ = exhausted_ || steps > steps_left_;
    steps_left_ -= exhausted_ ? steps_left_ : steps;
    return !exhausted_;
  }
  bool exhausted() const { return exhausted_; }
  uint64_t used() const { return used_; }

  // The meter of the evaluation running on this thread; null outside of one. Equal and the like are
  // called by adapters as well, so the meter cannot be an argument everywhere.
  static Meter* Current();
  class Scope {
   public:
    explicit Scope(Meter& meter);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Meter* outer_;
  };

 private:
  static constexpr uint64_t kStepsPerCost = 4;
  static constexpr uint64_t kFreeSteps = 1'000'000;
  static constexpr uint64_t StepsFor(uint64_t limit) {
    return limit > UINT64_MAX / (2 * kStepsPerCost) ? UINT64_MAX
                                                    : kStepsPerCost * limit + kFreeSteps;
  }

  uint64_t limit_;
  uint64_t used_ = 0;
  uint64_t steps_left_;
  bool exhausted_ = false;
};

// Counts against the evaluation running on this thread, if any; false when it must end.
bool CountSteps(uint64_t steps = 1);

}  // namespace hearth::cel::internal
