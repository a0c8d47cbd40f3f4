#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/testing/status_matchers.h"

namespace hearth {
namespace {

Result<int> Half(int number) {
  if (number % 2 != 0) {
    return InvalidError(std::to_string(number) + " is odd");
  }
  return number / 2;
}

Result<int> Quarter(int number) {
  ASSIGN_OR_RETURN(const int half, Half(number));
  return Half(half);
}

Status CheckQuarter(int number) {
  RETURN_IF_ERROR(Quarter(number));
  RETURN_IF_ERROR(Status::Ok());
  return {};
}

TEST(Result, HoldsAValueOrAStatus) {
  EXPECT_EQ(*Half(4), 2);
  EXPECT_TRUE(Half(4).status().ok());
  EXPECT_EQ(Half(3).status(), InvalidError("3 is odd"));
}

TEST(Result, MacrosPassTheFirstFailureOn) {
  EXPECT_EQ(*Quarter(8), 2);
  EXPECT_EQ(Quarter(6).status(), InvalidError("3 is odd"));
  EXPECT_OK(CheckQuarter(8));
  EXPECT_EQ(CheckQuarter(5), InvalidError("5 is odd"));
}

TEST(Result, CarriesTypesThatOnlyMove) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(7);
  const std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 7);
}

TEST(Result, ConvertsToItsValueType) {
  const Result<std::string> text = "hello";
  EXPECT_EQ(text->size(), 5U);
}

TEST(Result, ValueOrGivesTheOtherOnFailure) {
  EXPECT_EQ(Half(4).value_or(9), 2);
  EXPECT_EQ(Half(3).value_or(9), 9);
}

TEST(Result, ContextOnlyTouchesFailures) {
  EXPECT_EQ(*Half(4).WithContext("halve"), 2);
  EXPECT_EQ(Half(3).WithContext("halve").status().message(), "halve: 3 is odd");
}

TEST(ResultDeathTest, ValueOfAFailureEndsTheProcessWithTheReason) {
  EXPECT_DEATH(static_cast<void>(Half(3).value()), "3 is odd");
}

TEST(ResultDeathTest, OkStatusIsNoResult) {
  EXPECT_DEATH(Result<int>(Status::Ok()).ok(), "CHECK failed");
}

}  // namespace
}  // namespace hearth
