#include "base/gate.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/testing/manual_clock.h"
#include "base/testing/status_matchers.h"

namespace hearth {
namespace {

using std::chrono::seconds;

TEST(Gate, LetsInUntilClosed) {
  ManualClock clock;
  Gate gate;
  {
    const auto pass = gate.Enter();
    ASSERT_TRUE(pass.has_value());
    EXPECT_EQ(gate.inside(), 1);
  }
  EXPECT_EQ(gate.inside(), 0);
  EXPECT_FALSE(gate.closed());
  EXPECT_OK(gate.Close(clock, WaitLimit::Forever()));
  EXPECT_TRUE(gate.closed());
  EXPECT_FALSE(gate.Enter().has_value());
}

TEST(Gate, CloseWaitsForThoseInside) {
  ManualClock clock;
  Gate gate;
  std::optional<Gate::Pass> pass = gate.Enter();
  Status closed = InternalError("not yet");
  std::jthread closer([&] { closed = gate.Close(clock, WaitLimit::For(clock, seconds(10))); });
  clock.AwaitWaiters(1);
  EXPECT_TRUE(gate.closed());
  pass.reset();
  closer.join();
  EXPECT_OK(closed);
}

TEST(Gate, CloseGivesUpAtTheDeadlineAndStaysClosed) {
  ManualClock clock;
  Gate gate;
  const auto pass = gate.Enter();
  Status closed;
  std::jthread closer([&] { closed = gate.Close(clock, WaitLimit::For(clock, seconds(10))); });
  clock.AwaitWaiters(1);
  clock.Advance(seconds(10));
  closer.join();
  EXPECT_EQ(closed.code(), Code::kDeadlineExceeded);
  EXPECT_NE(closed.message().find("1 still inside"), std::string_view::npos);
  EXPECT_FALSE(gate.Enter().has_value());
}

TEST(Gate, StopEndsTheWait) {
  ManualClock clock;
  Gate gate;
  const auto pass = gate.Enter();
  std::stop_source stop;
  Status closed;
  std::jthread closer([&] { closed = gate.Close(clock, {.stop = stop.get_token()}); });
  stop.request_stop();
  closer.join();
  EXPECT_EQ(closed.code(), Code::kCancelled);
}

TEST(Gate, MovedPassLeavesOnce) {
  Gate gate;
  std::optional<Gate::Pass> first = gate.Enter();
  std::optional<Gate::Pass> second = gate.Enter();
  Gate::Pass moved(std::move(*first));
  first.reset();
  EXPECT_EQ(gate.inside(), 2);
  moved = std::move(*second);  // leaves with what it held
  EXPECT_EQ(gate.inside(), 1);
  second.reset();
  EXPECT_EQ(gate.inside(), 1);
}

TEST(Gate, ManyThreadsAllLeaveBeforeCloseReturns) {
  Gate gate;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&gate] {
      while (gate.Enter().has_value()) {
      }
    });
  }
  EXPECT_OK(gate.Close(RealClock(), WaitLimit::Forever()));
  EXPECT_EQ(gate.inside(), 0);
}

}  // namespace
}  // namespace hearth
