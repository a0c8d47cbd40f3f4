#include "controller/internal/runnable_group.h"

#include <gtest/gtest.h>

#include <future>
#include <stdexcept>

#include "base/testing/manual_clock.h"
#include "base/testing/status_matchers.h"

namespace hearth::controller::internal {
namespace {

Status UntilStopped(const std::stop_token& stop) {
  SleepFor(RealClock(), Duration::max(), stop);
  return CancelledError("stopped");
}

TEST(RunnableGroup, RunsUntilStopped) {
  RunnableGroup group(RealClock());
  std::promise<void> running;
  group.Add("one", [&](const std::stop_token& stop) {
    running.set_value();
    return UntilStopped(stop);
  });
  group.Start([](const Status& status) { ADD_FAILURE() << status.ToString(); });
  running.get_future().wait();
  EXPECT_OK(group.Stop(WaitLimit::Forever()));
}

TEST(RunnableGroup, FailureIsToldWithItsName) {
  RunnableGroup group(RealClock());
  std::promise<Status> failed;
  group.Add("good", UntilStopped);
  group.Add("bad", [](const std::stop_token&) { return UnavailableError("no luck"); });
  group.Start([&](Status status) { failed.set_value(std::move(status)); });
  EXPECT_EQ(failed.get_future().get().message(), "bad: no luck");
  EXPECT_OK(group.Stop(WaitLimit::Forever()));
}

TEST(RunnableGroup, ExceptionIsAFailure) {
  RunnableGroup group(RealClock());
  std::promise<Status> failed;
  group.Add("bad", [](const std::stop_token&) -> Status { throw std::runtime_error("boom"); });
  group.Start([&](Status status) { failed.set_value(std::move(status)); });
  EXPECT_CODE(Code::kInternal, failed.get_future().get());
}

TEST(RunnableGroup, OneThatDoesNotStopIsNamed) {
  ManualClock clock;
  std::promise<void> let_go;  // outlives the group, whose threads use it
  RunnableGroup group(clock);
  group.Add("deaf", [&](const std::stop_token&) {
    let_go.get_future().wait();
    return Status::Ok();
  });
  group.Add("good", UntilStopped);
  group.Start([](const Status&) {});
  auto stopped = std::async(std::launch::async, [&] {
    return group.Stop(WaitLimit::For(clock, std::chrono::seconds(30)));
  });
  clock.AwaitWaiters(1);
  clock.Advance(std::chrono::seconds(30));
  const Status late = stopped.get();
  EXPECT_CODE(Code::kDeadlineExceeded, late);
  EXPECT_NE(late.message().find("deaf"), std::string_view::npos);
  let_go.set_value();
}

TEST(RunnableGroup, StopWithoutStartIsNothing) {
  RunnableGroup group(RealClock());
  group.Add("one", UntilStopped);
  EXPECT_OK(group.Stop(WaitLimit::Forever()));
}

}  // namespace
}  // namespace hearth::controller::internal
