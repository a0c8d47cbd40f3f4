#include "base/strings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hearth {
namespace {

using testing::ElementsAre;

TEST(Split, KeepsEmptyPieces) {
  EXPECT_THAT(Split("a,b,c", ','), ElementsAre("a", "b", "c"));
  EXPECT_THAT(Split(",a,", ','), ElementsAre("", "a", ""));
  EXPECT_THAT(Split("", ','), ElementsAre(""));
}

TEST(Join, PutsTheSeparatorBetween) {
  EXPECT_EQ(Join({"a", "", "b"}, ", "), "a, , b");
  EXPECT_EQ(Join({"a"}, ", "), "a");
  EXPECT_EQ(Join({}, ", "), "");
}

TEST(Trim, TakesBlanksFromBothEnds) {
  EXPECT_EQ(Trim(" \t\r\n a b \n"), "a b");
  EXPECT_EQ(Trim("a"), "a");
  EXPECT_EQ(Trim(" \n"), "");
  EXPECT_EQ(Trim(""), "");
}

TEST(EqualIgnoreCase, IsForAsciiOnly) {
  EXPECT_TRUE(EqualIgnoreCase("Content-Type", "content-TYPE"));
  EXPECT_FALSE(EqualIgnoreCase("abc", "abcd"));
  EXPECT_FALSE(EqualIgnoreCase("[", "{"));
  EXPECT_FALSE(EqualIgnoreCase("\xC3\x84", "\xC3\xA4"));
}

TEST(ValidUtf8, TakesEveryLength) {
  EXPECT_TRUE(ValidUtf8(""));
  EXPECT_TRUE(ValidUtf8("plain ASCII that is longer than one word"));
  EXPECT_TRUE(ValidUtf8("\xC2\x80 \xDF\xBF"));
  EXPECT_TRUE(ValidUtf8("\xE0\xA0\x80 \xED\x9F\xBF \xEF\xBF\xBF"));
  EXPECT_TRUE(ValidUtf8("\xF0\x90\x80\x80 \xF4\x8F\xBF\xBF"));
}

TEST(ValidUtf8, RefusesWhatIsNone) {
  const std::string_view kBad[] = {
      "\x80",              // continuation alone
      "\xC3",              // cut short
      "\xC3(",             // no continuation
      "\xC0\xAF",          // overlong
      "\xC1\xBF",          // overlong
      "\xE0\x9F\xBF",      // overlong
      "\xED\xA0\x80",      // surrogate
      "\xE2\x82",          // cut short
      "\xE2\x82(",         // last byte wrong
      "\xF0\x8F\xBF\xBF",  // overlong
      "\xF4\x90\x80\x80",  // above U+10FFFF
      "\xF5\x80\x80\x80",  // no lead byte
      "\xFF",
  };
  for (std::string_view bad : kBad) {
    EXPECT_FALSE(ValidUtf8(bad));
    EXPECT_FALSE(ValidUtf8("eight by" + std::string(bad))) << "after a whole word of ASCII";
    EXPECT_FALSE(ValidUtf8(std::string(bad) + "eight bytes more"));
  }
}

TEST(Excerpt, ShortTextStaysWhole) {
  EXPECT_EQ(Excerpt("hello", 5), "hello");
  EXPECT_EQ(Excerpt("", 0), "");
}

TEST(Excerpt, CutTextFitsTheLimitAndSaysSo) {
  EXPECT_EQ(Excerpt("hello world", 8), "hello...");
  EXPECT_EQ(Excerpt("hello", 3), "...");
  EXPECT_EQ(Excerpt("hello", 2), "..");
  EXPECT_EQ(Excerpt("hello", 0), "");
}

TEST(Excerpt, ControlsOfTwoBytesAreControlsToo) {
  EXPECT_EQ(Excerpt("a\xC2\x9B"
                    "31m\xC2\xA0z",
                    20),
            "a?31m\xC2\xA0z");
}

TEST(Excerpt, DoesNotCutThroughACharacter) {
  EXPECT_EQ(Excerpt("ab\xC3\xA4 and more", 6), "ab...");
  EXPECT_EQ(Excerpt("ab\xC3\xA4 and more", 7), "ab\xC3\xA4...");
}

TEST(Excerpt, HidesWhatCannotBeShown) {
  EXPECT_EQ(Excerpt("a\nb\x1B[0m\x7F", 40), "a?b?[0m?");
  EXPECT_EQ(Excerpt("a\xFF\xC3", 40), "a??");
  EXPECT_EQ(Excerpt(std::string_view("a\0b", 3), 40), "a?b");
}

}  // namespace
}  // namespace hearth
