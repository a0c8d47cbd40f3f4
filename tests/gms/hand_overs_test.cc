// Weights outlive the server: successors that are killed at any moment, and predecessors that stand
// still meanwhile.
#include <gtest/gtest.h>

#include <csignal>
#include <random>

#include "base/testing/status_matchers.h"
#include "eventually.h"
#include "gms/client/session.h"
#include "marked_weights.h"
#include "memory_server.h"

namespace hearth::gms {
namespace {

constexpr int kRounds = 60;

class HandOvers : public testing::Test {
 protected:
  // Lets it run for a moment of any length.
  void Leave(ChildProcess& one) {
    const auto moment =
        std::chrono::microseconds(std::uniform_int_distribution(0, 15'000)(random_));
    static_cast<void>(one.Wait(WaitLimit::For(RealClock(), moment)));
  }

  bool Serves() {
    const auto reader = Session::Connect(
        {.socket = server_.Socket("weights"), .lease = LeaseRequest::kRo, .client = "test"},
        WaitLimit::For(RealClock(), std::chrono::milliseconds(200)));
    return reader.ok() && CheckMarked(**reader).ok();
  }

  // How often a server heard that its successor serves.
  int CountTold() {
    const std::string log = server_.log();
    int count = 0;
    for (size_t at = log.find("handed over"); at != std::string::npos;
         at = log.find("handed over", at + 1)) {
      ++count;
    }
    return count;
  }

  MemoryServer server_;
  std::mt19937 random_{20261118};
};

TEST_F(HandOvers, ASuccessorThatIsKilledBeforeItServesLeavesAServerThatDoes) {
  server_.Publish(7);
  int taken = 0;
  for (int round = 1; round <= kRounds; ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    ChildProcess successor = server_.StartSuccessor();
    Leave(successor);
    const bool stands_still = round % 2 == 0;
    if (stands_still) {
      (void)server_.Signal(SIGSTOP);  // it may have ended by now
      Leave(successor);
    }
    ASSERT_OK(successor.Signal(SIGKILL));
    ASSERT_OK(successor.Wait(Soon()));
    if (stands_still) {
      (void)server_.Signal(SIGCONT);
    }
    ASSERT_TRUE(Eventually([&] { return Serves() || !server_.Running(); })) << server_.log();
    if (!server_.Running()) {
      // The successor had said that it serves, and was killed afterwards.
      ++taken;
      EXPECT_EQ(CountTold(), taken) << server_.log();
      server_.Replace();
      server_.Publish(7);
    }
  }
  EXPECT_LT(taken, kRounds);
  RecordProperty("rounds_taken", taken);
}

TEST_F(HandOvers, OneAfterAnother) {
  server_.Publish(7);
  for (int round = 0; round < 10; ++round) {
    server_.Succeed();
    ASSERT_TRUE(Eventually([&] { return Serves(); })) << server_.log();
  }
  EXPECT_EQ(server_.Unsettled(), std::nullopt);
}

}  // namespace
}  // namespace hearth::gms
