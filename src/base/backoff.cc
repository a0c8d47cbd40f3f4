#include "base/backoff.h"

#include <algorithm>

namespace hearth {
namespace {

// std::pow would be all that we need of a library of a third of a MiB.
double Power(double base, int exponent) {
  double power = 1;
  for (; exponent > 0; exponent /= 2, base *= base) {
    power *= exponent % 2 == 1 ? base : 1;
  }
  return power;
}

}  // namespace

Duration BackoffPolicy::DelayFor(int attempt) const {
  if (initial <= Duration::zero()) {
    return Duration::zero();
  }
  // In floating point a huge power is infinity, which is simply over the maximum.
  const double delay = static_cast<double>(initial.count()) * Power(factor, attempt);
  if (!(delay < static_cast<double>(max.count()))) {
    return max;
  }
  return Duration(static_cast<int64_t>(delay));
}

Duration BackoffPolicy::DelayFor(int attempt, Random& random) const {
  const Duration delay = DelayFor(attempt);
  const double share = std::clamp(jitter, 0.0, 1.0) * random.NextDouble();
  const Duration cut(static_cast<int64_t>(static_cast<double>(delay.count()) * share));
  // Rounding must not make a wait into none.
  return std::max(delay - cut, std::min(delay, Duration(1)));
}

}  // namespace hearth
