#include "base/internal/log_line.h"

#include <gtest/gtest.h>

#include <limits>

namespace hearth::internal {
namespace {

const WallTime kTime(std::chrono::milliseconds(1'794'780'712'123));

std::string Line(LogFormat format, LogLevel level, std::string_view message,
                 std::initializer_list<LogField> fields) {
  std::string rendered;
  for (const LogField& field : fields) {
    AppendLogField(format, field, rendered);
  }
  return LogLine(format, kTime, level, message, rendered);
}

TEST(LogLine, TextLooksAsTheHeaderSays) {
  EXPECT_EQ(Line(LogFormat::kText, LogLevel::kInfo, "synced", {{"kind", "Pod"}, {"objects", 6000}}),
            "2026-11-15T22:11:52.123Z INFO  synced kind=Pod objects=6000\n");
  EXPECT_EQ(Line(LogFormat::kText, LogLevel::kWarning, "slow", {}),
            "2026-11-15T22:11:52.123Z WARN  slow\n");
  EXPECT_EQ(Line(LogFormat::kText, LogLevel::kError, "failed", {}),
            "2026-11-15T22:11:52.123Z ERROR failed\n");
}

TEST(LogLine, JsonIsOneObjectALine) {
  EXPECT_EQ(Line(LogFormat::kJson, LogLevel::kWarning, "synced",
                 {{"kind", "Pod"},
                  {"count", 6000},
                  {"low", -1L},
                  {"big", std::numeric_limits<uint64_t>::max()},
                  {"share", 0.25},
                  {"done", true}}),
            R"({"ts":"2026-11-15T22:11:52.123Z","level":"warning","msg":"synced","kind":"Pod",)"
            R"("count":6000,"low":-1,"big":18446744073709551615,"share":0.25,"done":true})"
            "\n");
}

TEST(LogLine, TextQuotesWhatWouldConfuse) {
  EXPECT_EQ(Line(LogFormat::kText, LogLevel::kInfo, "m",
                 {{"empty", ""},
                  {"blank", "a b"},
                  {"equals", "a=b"},
                  {"quote", "a\"b"},
                  {"plain", "a/b:c"}}),
            "2026-11-15T22:11:52.123Z INFO  m empty=\"\" blank=\"a b\" equals=\"a=b\" "
            "quote=\"a\\\"b\" plain=a/b:c\n");
}

TEST(LogLine, ForeignTextCannotBreakALine) {
  constexpr std::string_view kEvil("a\"\\\n\r\t\x01\x7F\0z", 10);
  EXPECT_EQ(Line(LogFormat::kText, LogLevel::kInfo, "one\ntwo", {{"v", kEvil}}),
            "2026-11-15T22:11:52.123Z INFO  one\\ntwo "
            "v=\"a\\\"\\\\\\n\\r\\t\\u0001\\u007f\\u0000z\"\n");
  EXPECT_EQ(Line(LogFormat::kJson, LogLevel::kInfo, "one\n\"two\"", {{"k\"", kEvil}}),
            R"({"ts":"2026-11-15T22:11:52.123Z","level":"info","msg":"one\n\"two\"",)"
            R"("k\"":"a\"\\\n\r\t\u0001\u007f\u0000z"})"
            "\n");
}

TEST(LogLine, BytesThatAreNotUtf8AreReplaced) {
  EXPECT_EQ(Line(LogFormat::kJson, LogLevel::kInfo, "m", {{"v", "a\xFF\xC3(\xE2\x82\xAC"}}),
            "{\"ts\":\"2026-11-15T22:11:52.123Z\",\"level\":\"info\",\"msg\":\"m\","
            "\"v\":\"a\xEF\xBF\xBD\xEF\xBF\xBD(\xE2\x82\xAC\"}\n");
  EXPECT_EQ(Line(LogFormat::kText, LogLevel::kInfo, "\xFF", {{"v", "\xFF"}}),
            "2026-11-15T22:11:52.123Z INFO  \xEF\xBF\xBD v=\xEF\xBF\xBD\n");
}

TEST(LogLine, NumbersThatJsonLacksAreStrings) {
  EXPECT_EQ(Line(LogFormat::kJson, LogLevel::kInfo, "m",
                 {{"a", std::numeric_limits<double>::infinity()},
                  {"b", std::numeric_limits<double>::quiet_NaN()}}),
            R"({"ts":"2026-11-15T22:11:52.123Z","level":"info","msg":"m","a":"inf","b":"nan"})"
            "\n");
}

TEST(LogLine, TimeBeforeTheEpochKeepsItsForm) {
  EXPECT_EQ(
      LogLine(LogFormat::kText, WallTime(std::chrono::milliseconds(-1)), LogLevel::kDebug, "m", ""),
      "1969-12-31T23:59:59.999Z DEBUG m\n");
}

}  // namespace
}  // namespace hearth::internal
