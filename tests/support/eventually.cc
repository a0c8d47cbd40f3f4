#include "eventually.h"

#include <thread>

namespace hearth {

bool Eventually(const std::function<bool()>& condition, Duration limit) {
  const SteadyTime end = RealClock().Now() + limit;
  while (!condition()) {
    if (RealClock().Now() >= end) {
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

}  // namespace hearth
