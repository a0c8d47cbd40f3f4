#include "command_line/text_tree.h"

#include <gtest/gtest.h>

namespace hearth::command_line {
namespace {

TEST(TextTree, DrawsBranchesAndColumns) {
  const TextTreeNode tree{.name = "oak",
                          .cells = {"1", "old"},
                          .below = {{.name = "bough", .cells = {"22", ""}, .below = {{"leaf"}}},
                                    {.name = "acorn", .cells = {"3", "new"}}}};
  EXPECT_EQ(TreeText({"NAME", "N", "STATE"}, tree),
            "NAME        N   STATE\n"
            "oak         1   old\n"
            "├─ bough    22\n"
            "│  └─ leaf\n"
            "└─ acorn    3   new\n");
}

TEST(TextTree, RemarksStandBetweenAThingAndWhatIsBelowIt) {
  const TextTreeNode tree{
      .name = "oak",
      .remarks = {"has a fungus that is longer than any column"},
      .below = {{.name = "leaf", .cells = {"1"}, .remarks = {"is yellow"}}, {.name = "acorn"}}};
  EXPECT_EQ(TreeText({"NAME", "N"}, tree),
            "NAME      N\n"
            "oak\n"
            "│  ! has a fungus that is longer than any column\n"
            "├─ leaf   1\n"
            "│     ! is yellow\n"
            "└─ acorn\n");
}

TEST(TextTree, ForeignTextCannotPaintTheTerminal) {
  const std::string text =
      TreeText({"NAME"}, {.name = "a\x1b[2J", .cells = {"\x07"}, .remarks = {"b\nc"}});
  EXPECT_EQ(text, "NAME\na?[2J  ?\n   ! b?c\n");
}

}  // namespace
}  // namespace hearth::command_line
