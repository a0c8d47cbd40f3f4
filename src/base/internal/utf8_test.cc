#include "base/internal/utf8.h"

#include <gtest/gtest.h>

namespace hearth::internal {
namespace {

TEST(Utf8Length, TellsTheLengthOfTheFirstCharacter) {
  EXPECT_EQ(Utf8Length("abc"), 1U);
  EXPECT_EQ(Utf8Length("\xC3\xA4z"), 2U);
  EXPECT_EQ(Utf8Length("\xE2\x82\xACz"), 3U);
  EXPECT_EQ(Utf8Length("\xF0\x9F\x94\xA5z"), 4U);
}

TEST(Utf8Length, IsZeroForNone) {
  EXPECT_EQ(Utf8Length(""), 0U);
  EXPECT_EQ(Utf8Length("\xA4"), 0U);
  EXPECT_EQ(Utf8Length("\xF0\x9F\x94"), 0U);
}

}  // namespace
}  // namespace hearth::internal
