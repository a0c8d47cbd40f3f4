#include "rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "names.h"
#include "plan.h"

namespace hearth::bench {
namespace {

const Row& Find(const std::vector<Row>& rows, const std::string& bench) {
  return *std::find_if(rows.begin(), rows.end(),
                       [&](const Row& row) { return row.bench == bench; });
}

TEST(SnapshotRows, SpeedIsThePeersTimeByOurs) {
  Figures figures;
  figures.Add(figure::Of(kLarge, figure::kWarm, figure::kOurs), 0.5);
  figures.Add(figure::Of(kLarge, figure::kWarm, figure::kBare), 1);
  const std::vector<Row> rows = MakeRows(figures);
  EXPECT_DOUBLE_EQ(Find(rows, "C3").ratio->median, 2);
  EXPECT_TRUE(Find(rows, "C3").Met());
  EXPECT_DOUBLE_EQ(Find(rows, "C1.restore").ratio->median, 0.5);
}

TEST(SnapshotRows, WhatIsAddedIsADifference) {
  Figures figures;
  figures.Add(figure::Of(kSmall, figure::kWarm, figure::kOurs), 0.030);
  figures.Add(figure::Of(kSmall, figure::kWarm, figure::kBare), 0.020);
  const std::vector<Row> rows = MakeRows(figures);
  EXPECT_NEAR(Find(rows, "C1.added.restore").ours, 10, 1e-6);
  EXPECT_FALSE(Find(rows, "C1.added.restore").Met());
}

TEST(SnapshotRows, AFigureWithoutItsPeerIsToldAndNotJudged) {
  Figures figures;
  figures.Add(figure::kAgentMemory, 12.0 * 1024 * 1024);
  figures.Add(figure::kEventToCriu, 0.004);
  const std::vector<Row> rows = MakeRows(figures);
  EXPECT_THAT(Find(rows, "C8").not_run, testing::HasSubstr("ours is 12.0 MiB"));
  EXPECT_FALSE(Find(rows, "C8").ratio.has_value());
  EXPECT_TRUE(Find(rows, "C6").Met());
  EXPECT_NEAR(Find(rows, "C6").ours, 4, 1e-6);
}

TEST(SnapshotRows, WhatWasNotMeasuredIsToldAsNotRun) {
  const std::vector<Row> rows = MakeRows(Figures());
  for (const Row& row : rows) {
    EXPECT_FALSE(row.ratio.has_value()) << row.bench;
    EXPECT_NE(row.not_run, "") << row.bench;
  }
}

}  // namespace
}  // namespace hearth::bench
