#include "base/duration.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "base/testing/status_matchers.h"

namespace hearth {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace)

TEST(ParseDuration, ReadsWhatGoReads) {
  const std::pair<std::string_view, Duration> kCases[] = {
      {"0", 0ns},
      {"-0", 0ns},
      {"+0", 0ns},
      {"5s", 5s},
      {"+5s", 5s},
      {"-5s", -5s},
      {"1h30m", 90min},
      {"1h15m30.918273645s", 1h + 15min + 30s + 918273645ns},
      {"1.5s", 1500ms},
      {"250ms", 250ms},
      {"10us", 10us},
      {"10\xC2\xB5s", 10us},
      {"10\xCE\xBCs", 10us},
      {"12ns", 12ns},
      {".5s", 500ms},
      {"5.s", 5s},
      {"-.5s", -500ms},
      {"3m1h", 63min},
      {"0.3333333333333333333h", 20min},
      {"0.100000000000000000000h", 6min},
      {"9223372036854775807ns", Duration::max()},
      {"-9223372036854775808ns", Duration::min()},
      {"2562047h47m16.854775807s", Duration::max()},
  };
  for (const auto& [text, expected] : kCases) {
    SCOPED_TRACE(text);
    ASSERT_OK_AND_ASSIGN(const Duration duration, ParseDuration(text));
    EXPECT_EQ(duration.count(), expected.count());
  }
}

TEST(ParseDuration, RefusesTheRest) {
  const std::string_view kBad[] = {"",
                                   "-",
                                   "+",
                                   "s",
                                   ".",
                                   "-.",
                                   ".s",
                                   "+.s",
                                   "3",
                                   "1d",
                                   "1.5",
                                   "1s ",
                                   " 1s",
                                   "1e3s",
                                   "--1s",
                                   "1s-1s",
                                   "1.2.3s",
                                   "00",
                                   "9223372036854775808ns",
                                   "9223372036854775.808us",
                                   "9223372036854ms775us808ns",
                                   "3000000h",
                                   "99999999999999999999999s",
                                   "1\xC2s"};
  for (std::string_view text : kBad) {
    SCOPED_TRACE(text);
    EXPECT_CODE(Code::kInvalid, ParseDuration(text));
  }
}

TEST(ParseDuration, SumThatWrapsIsTooLong) {
  EXPECT_CODE(Code::kInvalid, ParseDuration("-9223372036854775808ns9223372036854775808ns"));
  EXPECT_CODE(Code::kInvalid, ParseDuration("-9223372036854775808ns1ns"));
}

TEST(ParseDuration, ErrorsTellWhatIsWrong) {
  EXPECT_EQ(ParseDuration("10").status().message(),
            "duration '10': a unit is missing; use ns, us, ms, s, m or h");
  EXPECT_EQ(ParseDuration("x").status().message(), "duration 'x': a number is missing");
  EXPECT_EQ(ParseDuration("3000000h").status().message(), "duration '3000000h': too long");
}

TEST(FormatDuration, WritesWhatGoWrites) {
  const std::pair<Duration, std::string_view> kCases[] = {
      {0ns, "0s"},
      {1ns, "1ns"},
      {1100ns, "1.1\xC2\xB5s"},
      {2200us, "2.2ms"},
      {250ms, "250ms"},
      {1500ms, "1.5s"},
      {3300ms, "3.3s"},
      {60s, "1m0s"},
      {90min, "1h30m0s"},
      {4min + 5001ms, "4m5.001s"},
      {5h + 6min + 7001ms, "5h6m7.001s"},
      {-1500ms, "-1.5s"},
      {Duration::max(), "2562047h47m16.854775807s"},
      {Duration::min(), "-2562047h47m16.854775808s"},
  };
  for (const auto& [duration, expected] : kCases) {
    EXPECT_EQ(FormatDuration(duration), expected);
  }
}

TEST(FormatDuration, ParsesBackToTheSame) {
  Random random(1);
  for (int i = 0; i < 10'000; ++i) {
    // Shifted, so that all magnitudes come.
    const Duration duration(static_cast<int64_t>(random.Next()) >> random.Below(64));
    SCOPED_TRACE(FormatDuration(duration));
    ASSERT_OK_AND_ASSIGN(const Duration parsed, ParseDuration(FormatDuration(duration)));
    EXPECT_EQ(parsed.count(), duration.count());
  }
}

}  // namespace
}  // namespace hearth
