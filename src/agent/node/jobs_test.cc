#include "agent/node/jobs.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "base/testing/manual_clock.h"
#include "base/testing/status_matchers.h"

namespace hearth::agent::node {
namespace {

using namespace std::chrono_literals;

void AwaitStop(const std::stop_token& stop) { SleepFor(RealClock(), Duration::max(), stop); }

TEST(Jobs, AKeyRunsOnceAtATime) {
  Jobs jobs(RealClock());
  std::promise<void> go;
  std::shared_future<void> gone = go.get_future().share();
  ASSERT_TRUE(jobs.Start("a", [gone](const std::stop_token&) { gone.wait(); }));
  EXPECT_TRUE(jobs.Running("a"));
  EXPECT_FALSE(jobs.Start("a", [](const std::stop_token&) {}));
  EXPECT_TRUE(jobs.Start("b", [](const std::stop_token&) {}));
  go.set_value();
  jobs.Close(WaitLimit::Forever());
  EXPECT_FALSE(jobs.Running("a"));
}

TEST(Jobs, ThenComesWhenTheKeyIsFree) {
  Jobs jobs(RealClock());
  std::promise<bool> again;
  ASSERT_TRUE(jobs.Start(
      "a", [](const std::stop_token&) {},
      [&] { again.set_value(jobs.Start("a", [](const std::stop_token&) {})); }));
  EXPECT_TRUE(again.get_future().get());
}

TEST(Jobs, WhoIsCancelledKnowsWhy) {
  Jobs jobs(RealClock());
  std::promise<std::string> why;
  ASSERT_TRUE(jobs.Start("a", [&](const std::stop_token& stop) {
    AwaitStop(stop);
    why.set_value(std::string(jobs.WhyCancelled("a").message()));
  }));
  jobs.Cancel("nobody", CancelledError("not this one"));
  jobs.Cancel("a", CancelledError("the pod is gone"));
  jobs.Cancel("a", CancelledError("too late"));
  EXPECT_EQ(why.get_future().get(), "the pod is gone");
}

TEST(Jobs, ClosingGivesTimeAndThenAsksToStop) {
  ManualClock clock;
  Jobs jobs(clock);
  std::atomic<bool> stopped = false;
  ASSERT_TRUE(jobs.Start("a", [&](const std::stop_token& stop) {
    AwaitStop(stop);
    stopped = true;
  }));
  std::thread closing([&] { jobs.Close(WaitLimit::For(clock, 10s)); });
  clock.AwaitWaiters(1);
  EXPECT_FALSE(jobs.Start("b", [](const std::stop_token&) {})) << "it is closed";
  EXPECT_FALSE(stopped);
  clock.Advance(10s);
  closing.join();
  EXPECT_TRUE(stopped);
  EXPECT_EQ(jobs.running(), 0U);
}

TEST(Jobs, ClosingTellsThoseThatOnlyWait) {
  Jobs jobs(RealClock());
  ASSERT_TRUE(jobs.Start("a", [&](const std::stop_token&) { AwaitStop(jobs.closing()); }));
  EXPECT_FALSE(jobs.closing().stop_requested());
  jobs.Close(WaitLimit::Forever());
  EXPECT_EQ(jobs.running(), 0U);
}

}  // namespace
}  // namespace hearth::agent::node
