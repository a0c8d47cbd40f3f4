// Weights outlive the engine: real engines, a real server, SIGKILL.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine_process.h"
#include "memory_server.h"

namespace hearth::gms {
namespace {

using testing::HasSubstr;

TEST(Engines, AnotherEngineGivesTheSameAnswersAfterTheFirstWasKilled) {
  MemoryServer server;
  std::string answer;
  {
    EngineProcess first({.directory = server.directory()});
    ASSERT_TRUE(first.Serves()) << first.log();
    EXPECT_EQ(first.State().FindPath("weights.origin")->string(), "made");
    answer = first.Complete("the same words");
    ASSERT_EQ(answer.size(), 12U) << answer;
    first.Kill();
  }
  EXPECT_EQ(server.Unsettled(), std::nullopt);
  EngineProcess second({.directory = server.directory()});
  ASSERT_TRUE(second.Serves()) << second.log();
  EXPECT_EQ(second.State().FindPath("weights.origin")->string(), "found");
  EXPECT_EQ(second.Complete("the same words"), answer);
  EXPECT_NE(second.Complete("other words"), answer);
}

TEST(Engines, AnEngineKilledWhileItMakesWeightsLeavesNothingAndTheNextMakesThem) {
  MemoryServer server;
  {
    EngineProcess first({.directory = server.directory()});
    first.Kill();
  }
  EXPECT_EQ(server.Unsettled(), std::nullopt);
  EngineProcess second({.directory = server.directory()});
  ASSERT_TRUE(second.Serves()) << second.log();
}

TEST(Engines, AsleepItHoldsNothingAndAwakeItAnswersAsBefore) {
  MemoryServer server;
  EngineProcess engine({.directory = server.directory()});
  ASSERT_TRUE(engine.Serves()) << engine.log();
  const std::string answer = engine.Complete("before");
  ASSERT_EQ(engine.Post("/sleep"), 204);
  EXPECT_EQ(server.Unsettled(), std::nullopt) << "no lease, no memory of its own";
  EXPECT_EQ(server.Pool("weights", 1).state, "COMMITTED");
  EXPECT_THAT(engine.Complete("before"), HasSubstr("the engine is asleep"));
  ASSERT_EQ(engine.Post("/wake"), 204);
  EXPECT_EQ(engine.Complete("before"), answer);
  EXPECT_EQ(server.Pool("weights", 1).state, "RO");
}

// What it has mapped outlives the server; the lease it takes when it wakes is the successor's.
TEST(Engines, AServerThatIsTakenOverFromIsNotNoticedByAnEngineThatIsAwake) {
  MemoryServer server;
  EngineProcess engine({.directory = server.directory()});
  ASSERT_TRUE(engine.Serves()) << engine.log();
  const std::string answer = engine.Complete("who serves");
  ASSERT_EQ(answer.size(), 12U) << answer;
  server.Succeed();
  EXPECT_EQ(engine.Complete("who serves"), answer) << engine.log();
  ASSERT_EQ(engine.Post("/sleep"), 204) << engine.log();
  ASSERT_EQ(engine.Post("/wake"), 204) << engine.log();
  EXPECT_EQ(engine.Complete("who serves"), answer);
  EXPECT_EQ(server.Pool("weights", 1).state, "RO");
}

TEST(Engines, TheStandbyTakesOverWhenTheActiveOneIsKilled) {
  MemoryServer server;
  EngineProcess active({.directory = server.directory(), .id = "0", .failover = true});
  ASSERT_TRUE(active.Serves()) << active.log();
  const std::string answer = active.Complete("who is there");
  EngineProcess standby({.directory = server.directory(), .id = "1", .failover = true});
  ASSERT_TRUE(standby.StandsBy()) << standby.log();
  EXPECT_THAT(standby.Complete("who is there"), HasSubstr("the engine is standby"));
  active.Kill();
  ASSERT_TRUE(standby.Serves()) << standby.log();
  EXPECT_EQ(standby.Complete("who is there"), answer);
  const std::string metrics = standby.Metrics();
  for (const char* counter : {"switch_attempts_total", "switch_success_total"}) {
    EXPECT_THAT(metrics, testing::ContainsRegex(std::string(counter) + "\\{[^}]*\\} 1\n"));
  }
  // And back: the one that was killed comes again and takes over in turn.
  EngineProcess again({.directory = server.directory(), .id = "0", .failover = true});
  ASSERT_TRUE(again.StandsBy()) << again.log();
  standby.Kill();
  ASSERT_TRUE(again.Serves()) << again.log();
  EXPECT_EQ(again.Complete("who is there"), answer);
}

}  // namespace
}  // namespace hearth::gms
