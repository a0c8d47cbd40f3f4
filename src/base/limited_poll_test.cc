#include "base/limited_poll.h"

#include <gtest/gtest.h>
#include <sys/eventfd.h>

#include <array>
#include <thread>

#include "base/testing/status_matchers.h"

namespace hearth {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;

std::array<pollfd, 1> Readable(const UniqueFd& fd) { return {{{fd.get(), POLLIN, 0}}}; }

TEST(LimitedPoll, TellsWhichIsReady) {
  const UniqueFd ready(::eventfd(1, EFD_CLOEXEC));
  ASSERT_OK_AND_ASSIGN(LimitedPoll poll,
                       LimitedPoll::Make(WaitLimit::For(RealClock(), minutes(1))));
  auto fds = Readable(ready);
  ASSERT_OK(poll.Wait(fds, "x"));
  EXPECT_EQ(fds[0].revents, POLLIN);
}

TEST(LimitedPoll, EndsAtTheDeadline) {
  const UniqueFd never(::eventfd(0, EFD_CLOEXEC));
  ASSERT_OK_AND_ASSIGN(LimitedPoll poll,
                       LimitedPoll::Make(WaitLimit::For(RealClock(), milliseconds(1))));
  auto fds = Readable(never);
  EXPECT_EQ(poll.Wait(fds, "wait"), DeadlineError("wait: deadline exceeded"));
}

TEST(LimitedPoll, StopWakesIt) {
  const UniqueFd never(::eventfd(0, EFD_CLOEXEC));
  std::stop_source stop;
  ASSERT_OK_AND_ASSIGN(LimitedPoll poll, LimitedPoll::Make({.stop = stop.get_token()}));
  std::jthread stopper([&stop] { stop.request_stop(); });
  auto fds = Readable(never);
  EXPECT_EQ(poll.Wait(fds, "wait"), CancelledError("wait: stopped"));
}

}  // namespace
}  // namespace hearth
