// Thirty-two clients at once on one memory pool.
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "memory_server.h"

namespace hearth::gms {
namespace {

TEST(Stress, ThirtyTwoClientsGetTheirTurnAndSeeOnlyWhatIsCommitted) {
  MemoryServer server;
  server.Publish(7);
  std::vector<ChildProcess> clients;
  for (uint64_t i = 0; i < 32; ++i) {
    const char* role = i % 8 == 0   ? "writer"
                       : i % 8 == 1 ? "shadow"
                       : i % 8 == 2 ? "cache"
                       : i % 8 == 3 ? "look"
                                    : "reader";
    clients.push_back(server.StartParticipant(role, i + 1, 25));
  }
  for (ChildProcess& client : clients) {
    ASSERT_OK_AND_ASSIGN(const ProcessOutcome outcome, client.Wait(Soon()));
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.signal, 0);
  }
  EXPECT_EQ(server.Unsettled(), std::nullopt);
  EXPECT_OK(server.CheckServing());
}

}  // namespace
}  // namespace hearth::gms
