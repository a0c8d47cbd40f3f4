#include "agent/criu/worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"

namespace hearth::agent::criu {
namespace {

using testing::HasSubstr;

// CRIU's children have its end of the socket. When it is killed they may wait for it for ever, and
// the socket does not end.
TEST(Worker, ThatEndedIsSeenWhileItsChildrenGoOn) {
  const Program program{{"/bin/sh", "-c", "exec 3<&0; sleep 1000 & exit 7"}, {}};
  ASSERT_OK_AND_ASSIGN(Worker worker, Worker::Start(program));
  const auto answer = worker.AskVersion(WaitLimit::For(RealClock(), std::chrono::seconds(30)));
  EXPECT_CODE(Code::kUnavailable, answer);
  EXPECT_THAT(answer.status().message(), HasSubstr("ended with 7"));
}

}  // namespace
}  // namespace hearth::agent::criu
