#include "statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hearth::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Statistics, MedianAndQuartilesLieBetweenTheNearestValues) {
  const Spread spread = Summarize({4, 1, 3, 2});
  EXPECT_DOUBLE_EQ(spread.low, 1.75);
  EXPECT_DOUBLE_EQ(spread.median, 2.5);
  EXPECT_DOUBLE_EQ(spread.high, 3.25);
  EXPECT_EQ(spread.rounds, 4u);
}

TEST(Statistics, OneRoundIsItsOwnMedianAndQuartiles) {
  const Spread spread = Summarize({7});
  EXPECT_DOUBLE_EQ(spread.low, 7);
  EXPECT_DOUBLE_EQ(spread.median, 7);
  EXPECT_DOUBLE_EQ(spread.high, 7);
}

TEST(Statistics, NothingMeasuredGivesNoRounds) { EXPECT_EQ(Summarize({}).rounds, 0u); }

TEST(Statistics, RatiosPairRoundsAndStopAtTheShorter) {
  EXPECT_THAT(Ratios({2, 9, 5}, {1, 3}), ElementsAre(2, 3));
  EXPECT_THAT(Ratios({2}, {0}), ElementsAre(0));
}

TEST(Samples, KeepRoundsInOrderAndApart) {
  Samples samples;
  samples.Add("a", "x", 1);
  samples.Add("b", "x", 5);
  samples.Add("a", "x", 2);
  EXPECT_THAT(samples.Get("a", "x"), ElementsAre(1, 2));
  EXPECT_THAT(samples.Get("a", "y"), IsEmpty());
}

}  // namespace
}  // namespace hearth::bench
