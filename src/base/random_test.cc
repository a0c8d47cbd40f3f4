#include "base/random.h"

#include <gtest/gtest.h>

#include <array>

namespace hearth {
namespace {

TEST(Random, IsSplitmix64) {
  // Known values of the algorithm for seed 1234567.
  Random random(1234567);
  EXPECT_EQ(random.Next(), 6457827717110365317U);
  EXPECT_EQ(random.Next(), 3203168211198807973U);
  EXPECT_EQ(random.Next(), 9817491932198370423U);
}

TEST(Random, SameSeedSameNumbers) {
  Random a(7);
  Random b(7);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(a.Next(), b.Next());
  }
}

TEST(Random, KernelSeedsDiffer) { EXPECT_NE(Random::Seeded().Next(), Random::Seeded().Next()); }

TEST(Random, DoublesLieBelowOne) {
  Random random(1);
  double low = 1;
  double high = 0;
  for (int i = 0; i < 10'000; ++i) {
    const double drawn = random.NextDouble();
    low = std::min(low, drawn);
    high = std::max(high, drawn);
  }
  EXPECT_GE(low, 0.0);
  EXPECT_LT(low, 0.01);
  EXPECT_LT(high, 1.0);
  EXPECT_GT(high, 0.99);
}

TEST(Random, BelowReachesAllAndOnlyThose) {
  Random random(1);
  std::array<int, 3> seen{};
  for (int i = 0; i < 3000; ++i) {
    ++seen.at(random.Below(3));
  }
  for (int times : seen) {
    EXPECT_NEAR(times, 1000, 150);
  }
  EXPECT_EQ(random.Below(1), 0U);
}

TEST(RandomDeathTest, NothingLiesBelowZero) {
  Random random(1);
  EXPECT_DEATH(random.Below(0), "CHECK failed");
}

}  // namespace
}  // namespace hearth
