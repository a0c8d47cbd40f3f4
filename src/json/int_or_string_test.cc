#include "json/int_or_string.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/testing/status_matchers.h"

namespace hearth::json {
namespace {

IntOrString From(std::string_view json) { return *IntOrString::From(View::Trusted(json)); }

TEST(IntOrString, HoldsEither) {
  EXPECT_TRUE(From("80").IsInt());
  EXPECT_FALSE(From("\"http\"").IsInt());
  EXPECT_EQ(From("80").ToValue().Write(), "80");
  EXPECT_EQ(From("\"80\"").ToValue().Write(), "\"80\"");
  EXPECT_NE(From("80"), From("\"80\""));
}

TEST(IntOrString, RefusesOtherKinds) {
  for (const char* json : {"1.5", "true", "null", "{}", "[]", "99999999999999999999"}) {
    EXPECT_EQ(IntOrString::From(View::Trusted(json)).status().code(), Code::kInvalid) << json;
  }
  EXPECT_CODE(Code::kInvalid, IntOrString::From(View()));
}

TEST(IntOrString, ScalesPercentagesAndLeavesIntegersAlone) {
  EXPECT_EQ(*From("7").Scaled(10, true), 7);
  EXPECT_EQ(*From("\"25%\"").Scaled(10, true), 3);
  EXPECT_EQ(*From("\"25%\"").Scaled(10, false), 2);
  EXPECT_EQ(*From("\"100%\"").Scaled(10, false), 10);
  EXPECT_EQ(*From("\"0%\"").Scaled(10, true), 0);
  EXPECT_EQ(*From("\"+50%\"").Scaled(4, true), 2);
  EXPECT_EQ(*From("\"-25%\"").Scaled(10, true), -2);
  EXPECT_EQ(*From("\"-25%\"").Scaled(10, false), -3);
}

TEST(IntOrString, OtherStringsDoNotScale) {
  for (const char* json :
       {"\"http\"", "\"25\"", "\"%\"", "\"2.5%\"", "\" 5%\"", "\"\"", "\"+-5%\""}) {
    EXPECT_EQ(From(json).Scaled(10, true).status().code(), Code::kInvalid) << json;
  }
}

TEST(IntOrString, ScalingDoesNotOverflow) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(*From("\"100%\"").Scaled(kMax, true), kMax);
  EXPECT_CODE(Code::kInvalid, From("\"101%\"").Scaled(kMax, true));
}

}  // namespace
}  // namespace hearth::json
