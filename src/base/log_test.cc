#include "base/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/guarded.h"
#include "base/testing/status_matchers.h"

namespace hearth {
namespace {

using testing::ElementsAre;

constexpr size_t kStampSize = std::string_view("2026-11-15T22:11:52.123Z ").size();

class CaptureSink : public LogSink {
 public:
  void Write(LogLevel /*level*/, std::string_view line) override {
    lines_.Lock()->emplace_back(line);
  }
  // Without their time stamps, in text format.
  std::vector<std::string> lines() const {
    std::vector<std::string> cut = *lines_.Lock();
    for (std::string& line : cut) {
      line.erase(0, kStampSize);
    }
    return cut;
  }
  std::vector<std::string> whole() const { return *lines_.Lock(); }

 private:
  Guarded<std::vector<std::string>> lines_;
};

TEST(Logger, WritesFromItsLevelOn) {
  auto sink = std::make_shared<CaptureSink>();
  const Logger logger(sink, LogFormat::kText, LogLevel::kWarning);
  logger.Debug("no");
  logger.Info("no");
  logger.Warning("slow", {{"ms", 12}});
  logger.Error("broken");
  EXPECT_THAT(sink->lines(), ElementsAre("WARN  slow ms=12\n", "ERROR broken\n"));
  EXPECT_FALSE(logger.Enabled(LogLevel::kInfo));
  EXPECT_TRUE(logger.Enabled(LogLevel::kError));
}

TEST(Logger, BoundFieldsComeFirstOnEveryLine) {
  auto sink = std::make_shared<CaptureSink>();
  const Logger logger(sink, LogFormat::kText, LogLevel::kDebug);
  const Logger bound = logger.With({{"kind", "Pod"}}).With({{"name", std::string("a b")}});
  bound.Info("synced", {{"n", 1U}});
  bound.Debug("again");
  logger.Info("plain");
  EXPECT_THAT(sink->lines(), ElementsAre("INFO  synced kind=Pod name=\"a b\" n=1\n",
                                         "DEBUG again kind=Pod name=\"a b\"\n", "INFO  plain\n"));
}

TEST(Logger, JsonStampsAreOfNow) {
  auto sink = std::make_shared<CaptureSink>();
  Logger(sink, LogFormat::kJson, LogLevel::kInfo).With({{"a", true}}).Info("m", {{"b", 2}});
  ASSERT_EQ(sink->whole().size(), 1U);
  EXPECT_THAT(sink->whole()[0],
              testing::MatchesRegex("\\{\"ts\":\"20[0-9][0-9]-[-0-9]+T[:0-9]+\\.[0-9]+Z\","
                                    "\"level\":\"info\",\"msg\":\"m\",\"a\":true,\"b\":2\\}\n"));
}

TEST(Logger, NullWritesNothing) {
  const Logger logger = Logger::Null();
  logger.With({{"a", 1}}).Error("nobody hears this");
  EXPECT_FALSE(logger.Enabled(LogLevel::kError));
}

TEST(Logger, DefaultWritesWholeTextLinesToStderr) {
  testing::internal::CaptureStderr();
  const Logger logger;
  logger.Info("to stderr {}", {{"percent", "%v"}});
  logger.Debug("not shown");
  const std::string written = testing::internal::GetCapturedStderr();
  EXPECT_EQ(written.substr(kStampSize), "INFO  to stderr {} percent=%v\n");
}

TEST(Logger, ThreadsMayShareIt) {
  auto sink = std::make_shared<CaptureSink>();
  const Logger logger = Logger(sink, LogFormat::kText, LogLevel::kInfo).With({{"a", 1}});
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([logger] { logger.Info("m"); });
    }
  }
  EXPECT_THAT(sink->lines(), testing::Each("INFO  m a=1\n"));
  EXPECT_EQ(sink->lines().size(), 4U);
}

TEST(ParseLogLevel, KnowsTheNamesAndNoOthers) {
  ASSERT_OK_AND_ASSIGN(const LogLevel level, ParseLogLevel("warning"));
  EXPECT_EQ(level, LogLevel::kWarning);
  EXPECT_OK(ParseLogLevel("debug"));
  EXPECT_OK(ParseLogLevel("info"));
  EXPECT_OK(ParseLogLevel("error"));
  EXPECT_OK(ParseLogLevel("off"));
  EXPECT_EQ(ParseLogLevel("loud").status().message(),
            "log level 'loud': must be debug, info, warning, error or off");
}

TEST(ParseLogFormat, KnowsTextAndJson) {
  EXPECT_EQ(*ParseLogFormat("text"), LogFormat::kText);
  EXPECT_EQ(*ParseLogFormat("json"), LogFormat::kJson);
  EXPECT_CODE(Code::kInvalid, ParseLogFormat("xml"));
}

}  // namespace
}  // namespace hearth
