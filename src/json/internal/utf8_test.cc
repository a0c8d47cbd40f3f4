#include "json/internal/utf8.h"

#include <gtest/gtest.h>

namespace hearth::json::internal {
namespace {

TEST(Utf8, TheFastAndTheCarefulWayAgreeOnEveryTwoAndThreeBytes) {
  for (int a = 0; a < 256; ++a) {
    for (int b = 0; b < 256; b += 3) {
      for (const int c : {0x00, 0x41, 0x7F, 0x80, 0x8F, 0x9F, 0xA0, 0xBF, 0xC2, 0xFF}) {
        const char bytes[] = {static_cast<char>(a), static_cast<char>(b), static_cast<char>(c)};
        const std::string_view text(bytes, 3);
        EXPECT_EQ(IsUtf8(text), FindInvalidUtf8(text) == 3) << a << " " << b << " " << c;
      }
    }
  }
}

TEST(Utf8, TheFastWayMissesNothingWhereverItStands) {
  const std::string plain(300, 'x');
  for (size_t at = 0; at + 2 <= plain.size(); ++at) {
    std::string text = plain;
    EXPECT_TRUE(IsUtf8(text.replace(at, 2, "\u00e9"))) << at;
    text[at + 1] = 'x';
    EXPECT_FALSE(IsUtf8(text)) << at;
    EXPECT_FALSE(IsUtf8(std::string_view(text).substr(0, at + 1))) << at;
  }
}

TEST(Utf8, FindsTheFirstWrongByte) {
  EXPECT_EQ(FindInvalidUtf8("abc"), 3U);
  EXPECT_EQ(FindInvalidUtf8("ab\xFF"), 2U);
  EXPECT_EQ(FindInvalidUtf8("\u00e9\u20ac\U0001F600\xC3"), 9U);
  EXPECT_EQ(FindInvalidUtf8(""), 0U);
}

TEST(Utf8, WritesWhatItReads) {
  for (const uint32_t code_point :
       {0x0U, 0x7FU, 0x80U, 0x7FFU, 0x800U, 0xD7FFU, 0xE000U, 0xFFFFU, 0x10000U, 0x10FFFFU}) {
    std::string text;
    AppendUtf8(text, code_point);
    EXPECT_EQ(CharacterLength(text), text.size()) << code_point;
  }
}

TEST(Utf8, WhatIsNoCodePointIsReplaced) {
  for (const uint32_t code_point : {0xD800U, 0xDFFFU, 0x110000U, 0xFFFFFFFFU}) {
    std::string text;
    AppendUtf8(text, code_point);
    EXPECT_EQ(text, "\uFFFD") << code_point;
  }
}

}  // namespace
}  // namespace hearth::json::internal
