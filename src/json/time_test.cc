#include "json/time.h"

#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"

namespace hearth::json {
namespace {

struct Row {
  const char* text;
  const char* seconds;
  const char* micros;
  int64_t nanos;  // since the epoch
};

// What Go's time.Parse(time.RFC3339, text) and its two formats give.
const Row kRows[] = {
    {"2026-11-15T22:11:52Z", "2026-11-15T22:11:52Z", "2026-11-15T22:11:52.000000Z",
     1794780712000000000},
    {"2006-01-02T1:04:05Z", "2006-01-02T01:04:05Z", "2006-01-02T01:04:05.000000Z",
     1136163845000000000},
    {"2006-01-02T15:04:05,123Z", "2006-01-02T15:04:05Z", "2006-01-02T15:04:05.123000Z",
     1136214245123000000},
    {"2006-01-02T15:04:05.1234567890123Z", "2006-01-02T15:04:05Z", "2006-01-02T15:04:05.123456Z",
     1136214245123456789},
    {"2006-01-02T15:04:05.999999999Z", "2006-01-02T15:04:05Z", "2006-01-02T15:04:05.999999Z",
     1136214245999999999},
    {"2006-01-02T15:04:05+24:00", "2006-01-01T15:04:05Z", "2006-01-01T15:04:05.000000Z",
     1136127845000000000},
    {"2006-01-02T15:04:05+23:59", "2006-01-01T15:05:05Z", "2006-01-01T15:05:05.000000Z",
     1136127905000000000},
    {"2006-01-02T15:04:05+24:60", "2006-01-01T14:04:05Z", "2006-01-01T14:04:05.000000Z",
     1136124245000000000},
    {"2006-01-02T15:04:05-00:00", "2006-01-02T15:04:05Z", "2006-01-02T15:04:05.000000Z",
     1136214245000000000},
    {"2006-01-02T15:04:05-23:60", "2006-01-03T15:04:05Z", "2006-01-03T15:04:05.000000Z",
     1136300645000000000},
    {"2004-02-29T00:00:00Z", "2004-02-29T00:00:00Z", "2004-02-29T00:00:00.000000Z",
     1078012800000000000},
    {"2000-02-29T00:00:00Z", "2000-02-29T00:00:00Z", "2000-02-29T00:00:00.000000Z",
     951782400000000000},
    {"1969-12-31T23:59:59.5Z", "1969-12-31T23:59:59Z", "1969-12-31T23:59:59.500000Z", -500000000},
    {"2006-01-02T15:04:05.123+05:30", "2006-01-02T09:34:05Z", "2006-01-02T09:34:05.123000Z",
     1136194445123000000},
    {"2006-01-02T15:04:05.123456-08:00", "2006-01-02T23:04:05Z", "2006-01-02T23:04:05.123456Z",
     1136243045123456000},
    {"2006-01-02T23:59:59-00:30", "2006-01-03T00:29:59Z", "2006-01-03T00:29:59.000000Z",
     1136248199000000000},
    {"2006-01-02T1:04:05.5+01:00", "2006-01-02T00:04:05Z", "2006-01-02T00:04:05.500000Z",
     1136160245500000000},
};

TEST(Time, ReadsAndWritesAsGoDoes) {
  for (const Row& row : kRows) {
    const Result<Time> time = Time::Parse(row.text);
    ASSERT_TRUE(time.ok()) << time.status().ToString();
    EXPECT_EQ(time->at.time_since_epoch().count(), row.nanos) << row.text;
    EXPECT_EQ(time->ToString(), row.seconds) << row.text;
    EXPECT_EQ(time->ToMicroString(), row.micros) << row.text;
  }
}

TEST(Time, RefusesWhatGoRefuses) {
  for (const char* text : {
           "2006-01-02T15:4:05Z",       "2006-01-02T15:04:5Z",
           "2006-01-02T15:04:05.Z",     "2006-01-02T15:04:60Z",
           "2006-01-02T15:60:05Z",      "2006-01-02T24:00:00Z",
           "2006-01-02T15:04:05+25:00", "2006-01-02T15:04:05+23:61",
           "2006-01-02T15:04:05+0700",  "2006-01-02T15:04:05+07",
           "2006-01-02T15:04:05+7:00",  "2006-01-02t15:04:05z",
           "2006-01-02T15:04:05z",      "2006-01-02 15:04:05Z",
           "2006-01-02T15:04:05",       "2006-02-29T00:00:00Z",
           "1900-02-29T00:00:00Z",      "2006-13-01T00:00:00Z",
           "2006-00-01T00:00:00Z",      "2006-01-00T00:00:00Z",
           "2006-04-31T00:00:00Z",      "2006-1-02T15:04:05Z",
           "2006-01-2T15:04:05Z",       "02006-01-02T15:04:05Z",
           "-001-01-01T00:00:00Z",      "2006-01-02T15:04:05Z ",
           "2006-01-02T15:04:05ZZ",     "2006-01-02T15:04:05.1 Z",
           "2006-01-02T15:04:05.12a3Z", "2006-01-02T15:04:05..1Z",
           "2006-01-02T:04:05Z",        "",
       }) {
    EXPECT_EQ(Time::Parse(text).status().code(), Code::kInvalid) << text;
  }
}

TEST(Time, RefusesWhatTheClockCannotHold) {
  for (const char* text : {"0001-01-01T00:00:00Z", "1677-01-01T00:00:00Z", "2263-01-01T00:00:00Z",
                           "9999-12-31T23:59:59Z"}) {
    const Result<Time> time = Time::Parse(text);
    ASSERT_EQ(time.status().code(), Code::kInvalid) << text;
    EXPECT_NE(time.status().message().find("years"), std::string::npos);
    EXPECT_EQ(time.status().reason() == kTimeTooLate, text[0] != '0' && text[0] != '1') << text;
  }
  EXPECT_OK(Time::Parse("1678-01-01T00:00:00Z"));
  EXPECT_OK(Time::Parse("2261-12-31T23:59:59.999999999Z"));
}

TEST(Time, ErrorsSayWhatIsWrong) {
  EXPECT_NE(Time::Parse("2025-02-29T00:00:00Z").status().message().find("no such day"),
            std::string::npos);
  EXPECT_NE(Time::Parse("2025-02-28 00:00:00Z").status().message().find("no T"), std::string::npos);
}

TEST(Time, MicroFormReadsBackToTheMicrosecond) {
  for (const int64_t nanos : {int64_t{0}, int64_t{1'794'780'712'123'456'000}, int64_t{-1000},
                              int64_t{-9'000'000'000'000'001'000}}) {
    const Time time{WallTime(Duration(nanos))};
    ASSERT_OK_AND_ASSIGN(const Time again, Time::Parse(time.ToMicroString()));
    EXPECT_EQ(again, time) << time.ToMicroString();
  }
}

TEST(Time, OrdersByInstant) {
  ASSERT_OK_AND_ASSIGN(const Time utc, Time::Parse("2026-11-15T22:11:52Z"));
  ASSERT_OK_AND_ASSIGN(const Time berlin, Time::Parse("2026-11-15T23:11:52+01:00"));
  ASSERT_OK_AND_ASSIGN(const Time later, Time::Parse("2026-11-15T22:11:52.000000001Z"));
  EXPECT_EQ(utc, berlin);
  EXPECT_LT(utc, later);
}

}  // namespace
}  // namespace hearth::json
