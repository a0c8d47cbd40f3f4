#include "http/internal/body_budget.h"

#include <gtest/gtest.h>

namespace hearth::http {
namespace {

constexpr uint64_t kFree = BodyBudget::kFreeBytes;

TEST(BodyBudget, IsSharedAndGivenBack) {
  const auto budget = std::make_shared<BodyBudget>(100);
  auto one = budget->NewShare();
  auto two = budget->NewShare();
  EXPECT_TRUE(one->Grow(kFree + 60));
  EXPECT_FALSE(two->Grow(kFree + 41));
  EXPECT_EQ(budget->taken(), 60U) << "a refusal takes nothing";
  EXPECT_TRUE(two->Grow(kFree + 40));
  one = nullptr;
  EXPECT_TRUE(two->Grow(60));
  EXPECT_EQ(two->taken(), 100U);
  two = nullptr;
  EXPECT_EQ(budget->taken(), 0U);
}

TEST(BodyBudget, SmallBodiesAreFree) {
  const auto budget = std::make_shared<BodyBudget>(0);
  const auto share = budget->NewShare();
  EXPECT_TRUE(share->Grow(1));
  EXPECT_TRUE(share->Grow(kFree - 1));
  EXPECT_FALSE(share->Grow(1));
}

TEST(BodyBudget, LivesAsLongAsItsShares) {
  auto budget = std::make_shared<BodyBudget>(UINT64_MAX);
  const auto share = budget->NewShare();
  budget = nullptr;
  EXPECT_TRUE(share->Grow(kFree + 1));
}

}  // namespace
}  // namespace hearth::http
