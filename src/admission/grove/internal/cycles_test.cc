#include "admission/grove/internal/cycles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hearth::admission::grove {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(Cycles, AreFoundOncePerKnotAndShort) {
  EXPECT_THAT(FindCycles({}), IsEmpty());
  EXPECT_THAT(FindCycles({{1}, {2}, {}}), IsEmpty());
  EXPECT_THAT(FindCycles({{0}}), IsEmpty());  // told elsewhere
  EXPECT_THAT(FindCycles({{1}, {0}}), ElementsAre(ElementsAre(0, 1)));
  EXPECT_THAT(FindCycles({{0, 1}, {1, 2}, {3, 1}, {0, 2}}), ElementsAre(ElementsAre(0, 1, 2, 3)));
  EXPECT_THAT(FindCycles({{1, 2}, {0}, {3}, {2}}),
              ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3)));
  // Node 0 leads into the knot and is no part of it.
  EXPECT_THAT(FindCycles({{1}, {2}, {3, 1}, {1}}), ElementsAre(ElementsAre(1, 2)));
}

// Every node reaches all later ones: twice as many paths with each further node.
TEST(Cycles, AreNotSoughtAlongEveryPath) {
  constexpr size_t kNodes = 2000;
  Graph graph(kNodes);
  for (size_t i = 0; i < kNodes; ++i) {
    for (size_t j = i + 1; j < std::min(i + 20, kNodes); ++j) {
      graph[i].push_back(j);
    }
  }
  EXPECT_THAT(FindCycles(graph), IsEmpty());
  graph.back().push_back(0);
  EXPECT_THAT(FindCycles(graph), SizeIs(1));
}

TEST(Cycles, MayBeAsLongAsTheyLike) {
  constexpr size_t kNodes = 1'000'000;
  Graph graph(kNodes);
  for (size_t i = 0; i < kNodes; ++i) {
    graph[i] = {(i + 1) % kNodes};
  }
  EXPECT_THAT(FindCycles(graph), ElementsAre(SizeIs(kNodes)));
}

}  // namespace
}  // namespace hearth::admission::grove
