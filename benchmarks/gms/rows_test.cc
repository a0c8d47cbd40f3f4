#include "rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace hearth::bench {
namespace {

Row Find(const std::vector<Row>& rows, const std::string& bench) {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.bench == bench; });
  EXPECT_NE(found, rows.end()) << bench;
  return found == rows.end() ? Row() : *found;
}

TEST(GmsRows, RatioIsOfValuesOfTheSameRound) {
  Figures figures;
  for (const double round : {1.0, 2.0, 3.0}) {
    figures.Add(figure::kLoadSmall, 0.9e9 * round);
    figures.Add(figure::kFioRead, 1e9 * round);
  }
  const Row row = Find(MakeRows(figures, Part::kData), "A1.small");
  ASSERT_TRUE(row.ratio);
  EXPECT_DOUBLE_EQ(row.ratio->median, 0.9);
  EXPECT_EQ(row.ratio->rounds, 3U);
  EXPECT_DOUBLE_EQ(row.ours, 1.8);
  EXPECT_TRUE(row.Met());
}

TEST(GmsRows, LessCpuThanAPeerIsARatioAboveOne) {
  Figures figures;
  figures.Add(figure::kLoadHugeCpu, 0.1);
  figures.Add(figure::kCpCpu, 1);
  EXPECT_DOUBLE_EQ(Find(MakeRows(figures, Part::kData), "A8.huge").ratio->median, 10);
}

TEST(GmsRows, LimitsAreInTheUnitThatIsTold) {
  Figures figures;
  figures.Add(figure::kStart, 0.006);
  const Row row = Find(MakeRows(figures, Part::kControl), "B3");
  EXPECT_DOUBLE_EQ(row.ratio->median, 2);
  EXPECT_FALSE(row.Met());
}

TEST(GmsRows, WhatIsMissingSaysWhy) {
  Figures figures;
  figures.NotRun(figure::kLoadHuge, "no huge pages");
  EXPECT_EQ(Find(MakeRows(figures, Part::kData), "A1.huge").not_run, "no huge pages");
  EXPECT_EQ(Find(MakeRows(figures, Part::kData), "A5").not_run, "not measured");
  EXPECT_THAT(Find(MakeRows(figures, Part::kAll), "B1.upstream").not_run,
              testing::HasSubstr("Python"));
}

TEST(GmsRows, APartHasOnlyItsOwnRows) {
  const Figures figures;
  for (const Row& row : MakeRows(figures, Part::kData)) {
    EXPECT_THAT(row.bench, testing::StartsWith("A"));
  }
  for (const Row& row : MakeRows(figures, Part::kControl)) {
    EXPECT_THAT(row.bench, testing::StartsWith("B"));
  }
}

}  // namespace
}  // namespace hearth::bench
