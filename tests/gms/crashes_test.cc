// Whoever is killed, and whenever: no memory and no descriptor is lost, what is committed stays
// whole, and the next one is served.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>

#include "base/testing/status_matchers.h"
#include "engine_process.h"
#include "memory_server.h"

namespace hearth::gms {
namespace {

constexpr int kRounds = 100;
constexpr int kCorrupt = 9;

class Crashes : public testing::Test {
 protected:
  // Up to five of them, of all kinds, working on the same memory.
  std::vector<ChildProcess> StartSome() {
    static const std::vector<std::string> kRoles = {"writer", "shadow", "reader",
                                                    "cache",  "look",   "fence"};
    std::vector<ChildProcess> all;
    for (int i = Pick(1, 5); i > 0; --i) {
      const std::string& role = kRoles[static_cast<size_t>(Pick(0, 5))];
      all.push_back(server_.StartParticipant(role, static_cast<uint64_t>(++seed_), 1000));
    }
    return all;
  }

  // Lets them work for a moment of any length, then kills them one after another.
  void KillAll(std::vector<ChildProcess> all) {
    for (ChildProcess& one : all) {
      const auto moment = WaitLimit::For(RealClock(), std::chrono::microseconds(Pick(0, 20'000)));
      static_cast<void>(one.Wait(moment));
      static_cast<void>(one.Signal(SIGKILL));
      const auto outcome = one.Wait(Soon());
      ASSERT_OK(outcome);
      EXPECT_NE(outcome->exit_code, kCorrupt) << "saw what nobody committed";
    }
  }

  int Pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

  MemoryServer server_;
  std::mt19937 random_{20261116};
  int seed_ = 0;
};

TEST_F(Crashes, AHundredRoundsOfKillingAnybody) {
  server_.Publish(7);
  uint64_t generation = server_.Pool("weights").generation;
  int published = 0;  // rounds in which somebody got as far as a commit
  for (int round = 1; round <= kRounds; ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    std::vector<ChildProcess> all = StartSome();
    std::unique_ptr<EngineProcess> engine;
    if (round % 10 == 0) {
      engine =
          std::make_unique<EngineProcess>(EngineProcess::Options{.directory = server_.directory()});
    }
    const bool server_dies = round % 33 == 0;
    if (server_dies) {
      server_.Replace();
    }
    KillAll(std::move(all));
    if (engine) {
      engine->Kill();
    }
    ASSERT_TRUE(server_.Running()) << server_.log();
    if (server_dies) {
      // The fence of one that was killed may still be up.
      ASSERT_EQ(server_.Unsettled(), std::nullopt);
      server_.Publish(7);
    }
    ASSERT_EQ(server_.Unsettled(), std::nullopt);
    ASSERT_OK(server_.CheckServing());
    published += server_.Pool("weights").generation > generation && !server_dies ? 1 : 0;
    generation = server_.Pool("weights").generation;
  }
  EXPECT_GT(published, 0) << "they were killed before they did anything";
  RecordProperty("rounds_with_a_commit", published);
}

}  // namespace
}  // namespace hearth::gms
