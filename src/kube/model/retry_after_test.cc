#include "kube/model/retry_after.h"

#include <gtest/gtest.h>

namespace hearth::kube {
namespace {

using std::chrono::seconds;

TEST(HttpDate, ReadsTheOneFormThatMayBeSent) {
  EXPECT_EQ(ParseHttpDate("Sun, 06 Nov 1994 08:49:37 GMT"), WallTime(seconds(784111777)));
}

TEST(HttpDate, RefusesEverythingElse) {
  for (const char* text : {"", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
                           "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT",
                           "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 UTC",
                           "Sun, 06 Nov 9999 08:49:37 GMT", "Sun, 06 Nov 1994 -8:49:37 GMT"}) {
    EXPECT_EQ(ParseHttpDate(text), std::nullopt) << text;
  }
}

TEST(RetryAfter, InSeconds) {
  EXPECT_EQ(RetryAfter({{"Retry-After", "7"}}), seconds(7));
  EXPECT_EQ(RetryAfter({{"Retry-After", "0"}}), seconds(0));
  EXPECT_EQ(RetryAfter({{"Retry-After", "9223372036854775807"}}), seconds(24 * 60 * 60));
}

TEST(RetryAfter, AsDateCountsFromTheAnswersOwnDate) {
  const http::Headers headers{{"Date", "Sun, 06 Nov 1994 08:49:37 GMT"},
                              {"Retry-After", "Sun, 06 Nov 1994 08:50:00 GMT"}};
  EXPECT_EQ(RetryAfter(headers), seconds(23));
  EXPECT_EQ(RetryAfter(headers, WallTime()), seconds(23));
}

TEST(RetryAfter, AsDateWithoutDateCountsFromNow) {
  const http::Headers headers{{"Retry-After", "Sun, 06 Nov 1994 08:49:37 GMT"}};
  EXPECT_EQ(RetryAfter(headers), std::nullopt);
  EXPECT_EQ(RetryAfter(headers, WallTime(seconds(784111770))), seconds(7));
  EXPECT_EQ(RetryAfter(headers, WallTime(seconds(784111780))), seconds(0));
}

TEST(RetryAfter, NonsenseIsNothing) {
  EXPECT_EQ(RetryAfter({}), std::nullopt);
  for (const char* text : {"", "-1", "soon", "1.5", "99999999999999999999"}) {
    EXPECT_EQ(RetryAfter({{"Retry-After", text}}, WallTime()), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace hearth::kube
