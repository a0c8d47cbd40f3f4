#include "command_line/words.h"

#include <gtest/gtest.h>

namespace hearth::command_line {
namespace {

TEST(Words, Sizes) {
  EXPECT_EQ(SizeText(0), "0 B");
  EXPECT_EQ(SizeText(1023), "1023 B");
  EXPECT_EQ(SizeText(512 << 10), "512 KiB");
  EXPECT_EQ(SizeText((66ULL << 20) + (512 << 10)), "66.5 MiB");
  EXPECT_EQ(SizeText(80ULL << 30), "80 GiB");
  EXPECT_EQ(SizeText(3ULL << 50), "3072 TiB");
}

TEST(Words, AgesHaveTwoUnitsAtMost) {
  EXPECT_EQ(AgeText(0), "0ms");
  EXPECT_EQ(AgeText(999), "999ms");
  EXPECT_EQ(AgeText(59'999), "59s");
  EXPECT_EQ(AgeText(192'000), "3m12s");
  EXPECT_EQ(AgeText((4 * 60 + 5) * 60'000LL), "4h05m");
  EXPECT_EQ(AgeText((12 * 24 + 3) * 3'600'000LL), "12d3h");
}

TEST(Words, TimesAreUtc) {
  EXPECT_EQ(TimeText(1'700'000'000'250), "2023-11-14 22:13:20.250");
  EXPECT_EQ(TimeText(-1), "1969-12-31 23:59:59.999");
}

}  // namespace
}  // namespace hearth::command_line
