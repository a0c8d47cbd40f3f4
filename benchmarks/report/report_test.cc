#include "report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/parse.h"

namespace hearth::bench {
namespace {

using ::testing::HasSubstr;

Row Sample() {
  return {.bench = "D8",
          .what = "memory",
          .better = Better::kHigher,
          .goal = 4,
          .ratio = Spread{4.5, 5, 5.5, 7},
          .ours = 600,
          .peer = 3000,
          .peer_name = "go",
          .unit = "B/Pod"};
}

TEST(Report, GoalIsMetOnTheGoodSideOnly) {
  Row row = Sample();
  EXPECT_TRUE(row.Met());
  row.goal = 6;
  EXPECT_FALSE(row.Met());
  row.better = Better::kLower;
  EXPECT_TRUE(row.Met());
  row.ratio.reset();
  EXPECT_FALSE(row.Met());
  row.goal.reset();
  EXPECT_TRUE(row.Met());
}

TEST(Report, JsonLineHasEveryFieldThatProgramsRead) {
  const std::string text = ToJsonLines({Sample()});
  const auto line = json::Parse(text);
  ASSERT_TRUE(line.ok()) << text;
  const json::View view = line->view();
  EXPECT_EQ(view["bench"].StringOr(""), "D8");
  EXPECT_DOUBLE_EQ(view["ratio"].Double().value_or(0), 5);
  EXPECT_DOUBLE_EQ(view["goal"].Double().value_or(0), 4);
  EXPECT_EQ(view["better"].StringOr(""), "higher");
  EXPECT_DOUBLE_EQ(view["ours"].Double().value_or(0), 600);
  EXPECT_DOUBLE_EQ(view["peer"].Double().value_or(0), 3000);
  EXPECT_EQ(view["peer_name"].StringOr(""), "go");
  EXPECT_EQ(view["unit"].StringOr(""), "B/Pod");
  EXPECT_EQ(view["rounds"].Int().value_or(0), 7);
}

TEST(Report, WhatWasNotRunIsNullWithItsReason) {
  Row row = Sample();
  row.ratio.reset();
  row.ours = 0;
  row.not_run = "cargo is not installed";
  const auto line = json::Parse(ToJsonLines({row}));
  ASSERT_TRUE(line.ok());
  EXPECT_TRUE(line->view()["ratio"].IsNull());
  EXPECT_TRUE(line->view()["ours"].IsNull());
  EXPECT_EQ(line->view()["not_run"].StringOr(""), "cargo is not installed");
  EXPECT_THAT(ToTable({row}), HasSubstr("not run: cargo is not installed"));
}

TEST(Report, OursIsToldAlsoWhenThePeerWasNotRun) {
  Row row = Sample();
  row.ratio.reset();
  row.ours = 4711;
  row.not_run = "cargo is not installed";
  EXPECT_THAT(ToTable({row}), HasSubstr("4711"));
  EXPECT_THAT(ToJsonLines({row}), HasSubstr("\"ours\":4711"));
}

TEST(Report, TableAndMarkdownTellAMissedGoal) {
  Row row = Sample();
  row.goal = 10;
  EXPECT_THAT(ToTable({row}), HasSubstr("NO"));
  EXPECT_THAT(ToMarkdown("runtime", {row}, {"two CPUs"}), HasSubstr("- two CPUs\n"));
  EXPECT_THAT(
      ToMarkdown("runtime", {row}, {}),
      HasSubstr("| memory | D8 | 600 | 3000 (go) | B/Pod | 5.00 (4.50 to 5.50) | >= 10.0 | NO |"));
}

}  // namespace
}  // namespace hearth::bench
