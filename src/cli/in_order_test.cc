#include "cli/in_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <numeric>

namespace hearth::cli {
namespace {

std::vector<size_t> Squares(size_t count, size_t threads) {
  std::vector<size_t> used;
  InOrder<size_t>(
      count, threads, [](size_t i) { return i * i; },
      [&](size_t square) { used.push_back(square); });
  return used;
}

TEST(InOrder, OrderDoesNotDependOnThreads) {
  const std::vector<size_t> expected = Squares(1000, 0);
  ASSERT_EQ(expected.size(), 1000u);
  EXPECT_EQ(expected[31], 961u);
  for (const size_t threads : {1, 2, 3, 8}) {
    EXPECT_EQ(Squares(1000, threads), expected) << threads;
  }
}

TEST(InOrder, NothingToDoEnds) {
  EXPECT_THAT(Squares(0, 4), testing::IsEmpty());
  EXPECT_THAT(Squares(1, 4), testing::ElementsAre(0));
}

TEST(InOrder, MakersDoNotRunFarAhead) {
  std::atomic<size_t> made = 0;
  size_t used = 0;
  size_t most_ahead = 0;
  InOrder<int>(
      2000, 2,
      [&](size_t) {
        ++made;
        return 0;
      },
      [&](int) {
        ++used;
        most_ahead = std::max(most_ahead, made.load() - used);
      });
  EXPECT_EQ(used, 2000u);
  EXPECT_LE(most_ahead, 2u * 16);
}

}  // namespace
}  // namespace hearth::cli
