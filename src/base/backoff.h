#pragma once

#include "base/clock.h"
#include "base/random.h"

namespace hearth {

struct BackoffPolicy {
  Duration initial = std::chrono::milliseconds(800);
  Duration max = std::chrono::seconds(30);
  double factor = 2.0;
  // Share of the delay that is random: 1.0 draws from (0, delay], 0.2 from (0.8 delay, delay].
  double jitter = 1.0;

  // The delay before try number `attempt` (0 is the first retry), without jitter. Never overflows.
  Duration DelayFor(int attempt) const;
  Duration DelayFor(int attempt, Random& random) const;
};

// Growing delays between tries of one thing. Not thread-safe.
class Backoff {
 public:
  Backoff(BackoffPolicy policy, Random random) : policy_(policy), random_(random) {}

  Duration Next() { return policy_.DelayFor(attempt_++, random_); }
  void Reset() { attempt_ = 0; }
  int attempts() const { return attempt_; }

 private:
  BackoffPolicy policy_;
  Random random_;
  int attempt_ = 0;
};

}  // namespace hearth
