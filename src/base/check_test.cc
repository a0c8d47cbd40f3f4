#include "base/check.h"

#include <gtest/gtest.h>

namespace hearth {
namespace {

TEST(Check, HoldingConditionDoesNotEvaluateTheMessage) {
  int evaluated = 0;
  CHECK(true) << ++evaluated;
  EXPECT_EQ(evaluated, 0);
}

TEST(CheckDeathTest, BrokenConditionTellsFileConditionAndText) {
  const int leases = 2;
  EXPECT_DEATH(CHECK(leases == 1) << "found " << leases,
               "check_test.cc:[0-9]+: CHECK failed: leases == 1 found 2");
}

TEST(Check, FitsIntoAnIfWithoutBraces) {
  bool reached_else = false;
  // clang-format off
  if (reached_else)
    CHECK(true);
  else
    reached_else = true;
  // clang-format on
  EXPECT_TRUE(reached_else);
}

}  // namespace
}  // namespace hearth
