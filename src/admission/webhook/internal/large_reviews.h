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

  // Blocks until no other is looked at. Nothing, at once, when there are too many already. What
  // `aside` does, others do not wait for; while it did something, the review is looked at again.
  std::optional<Answer> InTurn(const std::function<Answer()>& look,
                               const std::function<bool()>& aside) {
    if (!Enter()) {
      return std::nullopt;
    }
    const Place place{here_};
    while (true) {
      Answer answer = Alone(look);
      if (!aside()) {
        return answer;
      }
    }
  }

 private:
  // Given up at its end.
  struct Place {
    Guarded<int>& here;
    ~Place() { --*here.Lock(); }
  };

  Answer Alone(const std::function<Answer()>& look) {
    MutexLock alone(looking_);
    return look();
  }

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
