#include "json/internal/decimal.h"

#include <gtest/gtest.h>

namespace hearth::json::internal {
namespace {

TEST(Decimal, OneValueHasOneToken) {
  const struct {
    const char* token;
    const char* canonical;
  } rows[] = {
      {"0", "0"},
      {"-0", "0"},
      {"0.0", "0"},
      {"0e9", "0"},
      {"1", "1"},
      {"1.0", "1"},
      {"10e-1", "1"},
      {"0.1e1", "1"},
      {"+1.", "1"},
      {".5", "0.5"},
      {"-.5", "-0.5"},
      {"1e3", "1000"},
      {"1.50", "1.5"},
      {"1E20", "100000000000000000000"},
      {"1e21", "1e+21"},
      {"1e-6", "0.000001"},
      {"1e-7", "1e-7"},
      {"12.5e-9", "1.25e-8"},
      {"007", "7"},
      {"123456789012345678901.5", "123456789012345678901.5"},
      {"-1.25e30", "-1.25e+30"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(Decimal::Parse(row.token).ToToken(), row.canonical) << row.token;
  }
}

TEST(SameNumber, ComparesExactly) {
  EXPECT_TRUE(SameNumber("1", "1.0"));
  EXPECT_TRUE(SameNumber("1", "1e0"));
  EXPECT_TRUE(SameNumber("0", "-0"));
  EXPECT_TRUE(SameNumber("-0.0", "0e5"));
  EXPECT_TRUE(SameNumber("9007199254740993", "9007199254740993.0"));
  EXPECT_FALSE(SameNumber("9007199254740993", "9007199254740992"));
  EXPECT_FALSE(SameNumber("9007199254740993.0", "9007199254740992.0"));
  EXPECT_FALSE(SameNumber("1", "-1"));
  EXPECT_FALSE(SameNumber("1e400", "1e401"));
  EXPECT_FALSE(SameNumber("0.1", "0.10000000000000000001"));
}

TEST(Decimal, HugeExponentsDoNotOverflow) {
  EXPECT_FALSE(SameNumber("1e99999999999999999999", "1e-99999999999999999999"));
  EXPECT_EQ(Decimal::Parse("1e99999999999999999999").ToToken(), "1e+1000000000000000000");
}

}  // namespace
}  // namespace hearth::json::internal
