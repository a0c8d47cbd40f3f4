#pragma once

#include <functional>
#include <optional>

#include "admission/webhook/routes.h"
#include "base/guarded.h"
#include "base/mutex.h"

namespace hearth::admission::webhook::internal {

// Has large reviews looked at one at a time, and bounds how many workers wait for that: those
// beyond are left to small ones. Thread-safe.
class LargeReviews {
 public:
  // So many at a time: the one that is looked at, and those that wait.
  explicit LargeReviews(int most) : most_(most) {}

  // Blocks until no other is looked at. Nothing, at once, when there are too many already.
  std::optional<Answer> InTurn(const std::function<Answer()>& look) {
    if (!Enter()) {
      return std::nullopt;
    }
    const Place place{here_};
    MutexLock alone(looking_);
    return look();
  }

 private:
  // Given up at its end.
  struct Place {
    Guarded<int>& here;
    ~Place() { --*here.Lock(); }
  };

  bool Enter() {
    auto here = here_.Lock();
    if (*here >= most_) {
      return false;
    }
    ++*here;
    return true;
  }

  const int most_;
  Guarded<int> here_{0};
  Mutex looking_;
};

}  // namespace hearth::admission::webhook::internal
