#include "base/nearest_name.h"

#include <gtest/gtest.h>

namespace hearth {
namespace {

TEST(EditDistance, CountsEachKindOfSlipOnce) {
  EXPECT_EQ(EditDistance("workers", "workers"), 0U);
  EXPECT_EQ(EditDistance("workrs", "workers"), 1U);    // left out
  EXPECT_EQ(EditDistance("workkers", "workers"), 1U);  // twice
  EXPECT_EQ(EditDistance("wirkers", "workers"), 1U);   // another
  EXPECT_EQ(EditDistance("wrokers", "workers"), 1U);   // swapped
  EXPECT_EQ(EditDistance("", "abc"), 3U);
  EXPECT_EQ(EditDistance("abc", ""), 3U);
}

TEST(NearestName, FindsTheNearestOrNone) {
  EXPECT_EQ(NearestName("--workrs", {"--listen", "--workers", "--worker-name"}), "--workers");
  EXPECT_EQ(NearestName("--zzzzzz", {"--listen", "--workers"}), "");
  EXPECT_EQ(NearestName(std::string(1000, 'a'), {std::string(999, 'a')}), "");
  EXPECT_EQ(NearestName("x", {}), "");
}

}  // namespace
}  // namespace hearth
