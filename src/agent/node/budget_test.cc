#include "agent/node/budget.h"

#include <gtest/gtest.h>

#include <optional>
#include <thread>

#include "base/testing/manual_clock.h"
#include "base/testing/status_matchers.h"

namespace hearth::agent::node {
namespace {

using namespace std::chrono_literals;
using Kind = Budget::Kind;

// Who waits in a thread of its own; the test sees who got in.
class Waiter {
 public:
  Waiter(Budget& budget, Kind kind, uint64_t bytes) {
    const int before = budget.waiting(kind);
    thread_ = std::jthread([this, &budget, kind, bytes] {
      auto share = budget.Take(kind, bytes, WaitLimit::Forever());
      in_ = true;
      in_.notify_all();
      leave_.wait(false);
    });
    while (budget.waiting(kind) == before && !in_) {
      std::this_thread::yield();
    }
  }
  ~Waiter() { Leave(); }
  bool in() const { return in_; }
  void AwaitIn() { in_.wait(false); }
  void Leave() {
    leave_ = true;
    leave_.notify_all();
    if (thread_.joinable()) {
      thread_.join();
    }
  }

 private:
  std::atomic<bool> in_ = false;
  std::atomic<bool> leave_ = false;
  std::jthread thread_;
};

TEST(Budget, KindsHaveTheirOwnSlots) {
  Budget budget(RealClock(), {.captures = 1, .restores = 1});
  const auto capture = budget.Take(Kind::kCapture, 0, WaitLimit::Forever());
  const auto restore = budget.Take(Kind::kRestore, 10, WaitLimit::Forever());
  EXPECT_OK(capture);
  EXPECT_OK(restore);
  EXPECT_EQ(budget.used(Kind::kCapture), 1);
  EXPECT_EQ(budget.used(Kind::kRestore), 1);
}

TEST(Budget, WhoCameFirstGoesFirst) {
  Budget budget(RealClock(), {.captures = 1});
  auto held = std::make_optional(budget.Take(Kind::kCapture, 0, WaitLimit::Forever()));
  Waiter first(budget, Kind::kCapture, 0);
  Waiter second(budget, Kind::kCapture, 0);
  EXPECT_FALSE(first.in());
  held.reset();
  first.AwaitIn();
  EXPECT_FALSE(second.in());
  first.Leave();
  second.AwaitIn();
}

TEST(Budget, BytesInFlightAreBounded) {
  Budget budget(RealClock(), {.restores = 10, .bytes_in_flight = 100});
  auto held = std::make_optional(budget.Take(Kind::kRestore, 60, WaitLimit::Forever()));
  Waiter large(budget, Kind::kRestore, 70);
  // It would fit, but not before the one that came earlier: large ones must not starve.
  Waiter small(budget, Kind::kRestore, 10);
  EXPECT_FALSE(large.in());
  EXPECT_FALSE(small.in());
  held.reset();
  large.AwaitIn();
  small.AwaitIn();
}

TEST(Budget, MoreThanAllGoesAlone) {
  Budget budget(RealClock(), {.restores = 10, .bytes_in_flight = 100});
  EXPECT_OK(budget.Take(Kind::kRestore, 1000, WaitLimit::Forever()));
}

TEST(Budget, WaitingEndsWithItsLimit) {
  ManualClock clock;
  Budget budget(clock, {.captures = 1});
  const auto held = budget.Take(Kind::kCapture, 0, WaitLimit::Forever());
  Status ended;
  std::thread waiting(
      [&] { ended = budget.Take(Kind::kCapture, 0, WaitLimit::For(clock, 5s)).status(); });
  clock.AwaitWaiters(1);
  clock.Advance(5s);
  waiting.join();
  EXPECT_CODE(Code::kDeadlineExceeded, ended);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_CODE(Code::kCancelled,
              budget.Take(Kind::kCapture, 0, {.stop = stop.get_token()}).status());
  EXPECT_EQ(budget.waiting(Kind::kCapture), 0);
}

}  // namespace
}  // namespace hearth::agent::node
