#include "gms/failover/failover_metrics.h"

#include <gmock/gmock.h>

#include <atomic>
#include <thread>

#include "base/testing/faulty_file_system.h"
#include "base/testing/manual_clock.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "gms/failover/testing/log_signal.h"

namespace hearth::gms {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kLabels[] = R"(dynamo_component="c",engine_id="1",model="m")";

class FailoverMetricsTest : public ::testing::Test {
 protected:
  // One engine from its start to its end.
  struct Engine {
    Metrics registry;
    FailoverMetrics metrics;
    Engine(FailoverMetricsTest& test, FileSystem& files)
        : metrics({.engine_id = "1",
                   .model = "m",
                   .component = "c",
                   .lock_path = test.directory_ / "failover.lock"},
                  registry, files, test.clock_,
                  Logger(test.log_, LogFormat::kText, LogLevel::kInfo)) {}
    // The value of the series with these further labels.
    double Of(const std::string& name, const std::string& more = "") const {
      std::string series = "dynamo_component_engine_failover" + name + "{";
      std::string text = metrics.Expose();
      for (size_t at = text.find(series); at != std::string::npos; at = text.find(series, at + 1)) {
        std::string line = text.substr(at, text.find('\n', at) - at);
        if (line.find(more) != std::string::npos) {
          return std::stod(line.substr(line.rfind(' ')));
        }
      }
      return -1;
    }
  };

  TempDirectory directory_;
  ManualClock clock_;
  std::shared_ptr<LogSignal> log_ = std::make_shared<LogSignal>();
};

TEST_F(FailoverMetricsTest, EverySeriesIsThereWithItsZeroFromTheFirstScrape) {
  Engine engine(*this, RealFileSystem());
  std::string text = engine.metrics.Expose();
  for (const char* state : {"init", "standby", "waking", "active"}) {
    EXPECT_EQ(engine.Of("_state", std::string("state=\"") + state), 0);
    EXPECT_EQ(engine.Of("_last_state_duration_seconds", std::string("state=\"") + state), 0);
  }
  EXPECT_EQ(engine.Of("_state_entered_timestamp_seconds"), 0);
  EXPECT_EQ(engine.Of("_transitions_total", R"(from_state="standby",model="m",to_state="waking")"),
            0);
  EXPECT_EQ(engine.Of("_switch_attempts_total"), 0);
  EXPECT_EQ(engine.Of("_switch_success_total"), 0);
  EXPECT_THAT(text, HasSubstr(kLabels));
}

TEST_F(FailoverMetricsTest, StateIsOneHotAndTimed) {
  Engine engine(*this, RealFileSystem());
  engine.metrics.Enter(EngineState::kInit);
  clock_.Advance(std::chrono::seconds(3));
  engine.metrics.Enter("standby");
  engine.metrics.Enter(EngineState::kStandby);  // no transition
  EXPECT_EQ(engine.Of("_state", R"(state="init")"), 0);
  EXPECT_EQ(engine.Of("_state", R"(state="standby")"), 1);
  EXPECT_EQ(engine.Of("_last_state_duration_seconds", R"(state="init")"), 3);
  EXPECT_EQ(engine.Of("_state_entered_timestamp_seconds"), 1'700'000'003);
  EXPECT_EQ(engine.Of("_transitions_total", R"(from_state="init",model="m",to_state="standby")"),
            1);
}

TEST_F(FailoverMetricsTest, UnknownStateIsIgnoredWithAWarning) {
  Engine engine(*this, RealFileSystem());
  engine.metrics.Enter("active");
  engine.metrics.Enter("sleepy");
  EXPECT_EQ(engine.Of("_state", R"(state="active")"), 1);
  EXPECT_THAT(log_->text(), HasSubstr("sleepy"));
  EXPECT_THAT(engine.metrics.Expose(), Not(HasSubstr("sleepy")));
}

TEST_F(FailoverMetricsTest, SwitchesOutliveTheEngine) {
  {
    Engine engine(*this, RealFileSystem());
    engine.metrics.CountSwitchAttempt();
    engine.metrics.CountSwitchAttempt();
    engine.metrics.CountSwitchSuccess();
  }
  EXPECT_EQ(RealFileSystem()
                .Read(directory_ / "failover_metrics_engine-1.json", 4096)
                .value_or(std::string()),
            R"({"attempts":2,"success":1})");
  Engine next(*this, RealFileSystem());
  EXPECT_EQ(next.Of("_switch_attempts_total"), 2);
  EXPECT_EQ(next.Of("_switch_success_total"), 1);
  next.metrics.CountSwitchAttempt();
  EXPECT_EQ(next.Of("_switch_attempts_total"), 3);
}

TEST_F(FailoverMetricsTest, SuccessCountsOnlyAfterAnAttempt) {
  Engine engine(*this, RealFileSystem());
  engine.metrics.CountSwitchSuccess();  // a first start
  EXPECT_EQ(engine.Of("_switch_success_total"), 0);
  engine.metrics.CountSwitchAttempt();
  engine.metrics.CountSwitchSuccess();
  engine.metrics.CountSwitchSuccess();
  EXPECT_EQ(engine.Of("_switch_success_total"), 1);
}

TEST_F(FailoverMetricsTest, BrokenCountersBeginAnewWithAWarning) {
  for (const char* text : {"", "{", "[1]", R"({"attempts":"x","success":-4})"}) {
    ASSERT_OK(RealFileSystem().Write(directory_ / "failover_metrics_engine-1.json", text, 0644));
    Engine engine(*this, RealFileSystem());
    EXPECT_EQ(engine.Of("_switch_attempts_total"), 0);
    EXPECT_EQ(engine.Of("_switch_success_total"), 0);
  }
  EXPECT_THAT(log_->text(), HasSubstr("begin anew"));
}

// Killed at every step of the write: the next engine finds the old count or the new one.
TEST_F(FailoverMetricsTest, DeathWhileCountingLeavesTheOldCountOrTheNew) {
  FaultyFileSystem whole(RealFileSystem());
  double counted = 1;
  int steps = 0;
  {
    Engine engine(*this, whole);
    steps = -whole.steps();
    engine.metrics.CountSwitchAttempt();
    steps += whole.steps();
  }
  ASSERT_GT(steps, 2);
  for (int step = 0; step < steps; ++step) {
    FaultyFileSystem files(RealFileSystem());
    Engine engine(*this, files);
    files.KillAt(files.steps() + step);
    engine.metrics.CountSwitchAttempt();
    EXPECT_EQ(engine.Of("_switch_attempts_total"), counted + 1);  // counted all the same

    Engine next(*this, RealFileSystem());
    double kept = next.Of("_switch_attempts_total");
    EXPECT_TRUE(kept == counted || kept == counted + 1) << "step " << step << ": " << kept;
    counted = kept;
  }
  EXPECT_THAT(log_->text(), HasSubstr("cannot be kept"));
}

TEST_F(FailoverMetricsTest, NoScrapeSeesHalfAChange) {
  Engine engine(*this, RealFileSystem());
  engine.metrics.Enter(EngineState::kInit);
  std::atomic<bool> done = false;
  std::jthread changer([&] {
    for (int i = 0; i < 200; ++i) {
      engine.metrics.Enter(i % 2 == 0 ? EngineState::kWaking : EngineState::kActive);
    }
    done = true;
  });
  do {
    std::string text = engine.metrics.Expose();
    int hot = 0;
    for (size_t at = text.find("failover_state{"); at != std::string::npos;
         at = text.find("failover_state{", at + 1)) {
      hot += text.substr(at, text.find('\n', at) - at).ends_with(" 1") ? 1 : 0;
    }
    EXPECT_EQ(hot, 1);
  } while (!done);
}

}  // namespace
}  // namespace hearth::gms
