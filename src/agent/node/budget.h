#pragma once

#include <condition_variable>
#include <cstdint>
#include <list>
#include <string_view>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/wait_limit.h"

namespace hearth::agent::node {

// How much of a node snapshots may use at once: captures, restores, and bytes that are read or
// written for them. First come, first served: nobody is overtaken by one who wants the same.
// Thread-safe.
class Budget {
 public:
  enum class Kind { kCapture, kRestore };
  struct Limits {
    int captures = 2;
    int restores = 4;
    uint64_t bytes_in_flight = 0;  // 0: any number
  };
  // Held while working; gives back when it goes.
  class Share {
   public:
    Share(Share&& other) noexcept;
    Share& operator=(Share&& other) = delete;
    ~Share();

   private:
    friend class Budget;
    Share(Budget* budget, Kind kind, uint64_t bytes)
        : budget_(budget), kind_(kind), bytes_(bytes) {}
    Budget* budget_;
    Kind kind_;
    uint64_t bytes_;
  };

  Budget(Clock& clock, Limits limits) : clock_(clock), limits_(limits) {}

  // Waits for its turn. More bytes than there are at all are let in when nobody else has any.
  // kCancelled, kDeadlineExceeded.
  Result<Share> Take(Kind kind, uint64_t bytes, const WaitLimit& limit);
  int used(Kind kind) const;
  int waiting(Kind kind) const;

 private:
  struct Waiter {
    Kind kind;
    uint64_t bytes;
  };
  int Most(Kind kind) const;
  bool Fits(const Waiter& waiter) const REQUIRES(mutex_);
  bool MayGo(std::list<Waiter>::iterator waiter) REQUIRES(mutex_);
  void GiveBack(Kind kind, uint64_t bytes);

  Clock& clock_;
  const Limits limits_;
  mutable Mutex mutex_;
  std::condition_variable changed_;
  int captures_ GUARDED_BY(mutex_) = 0;
  int restores_ GUARDED_BY(mutex_) = 0;
  uint64_t bytes_ GUARDED_BY(mutex_) = 0;
  std::list<Waiter> line_ GUARDED_BY(mutex_);
};

}  // namespace hearth::agent::node
