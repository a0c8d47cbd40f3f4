#include "command_line/text_table.h"

#include <gtest/gtest.h>

namespace hearth::command_line {
namespace {

TEST(TextTable, ColumnsAreAsWideAsTheirWidestCell) {
  TextTable table({{"NAME"}, {"SIZE", TextTable::Align::kRight}, {"NOTE"}});
  EXPECT_TRUE(table.empty());
  table.Add({"a", "1", "x"});
  table.Add({"longer", "12345", ""});
  EXPECT_EQ(table.Text(),
            "NAME     SIZE  NOTE\n"
            "a           1  x\n"
            "longer  12345  -\n");
}

TEST(TextTable, ForeignBytesCannotPaintTheTerminal) {
  TextTable table({{"NAME"}, {"N"}});
  table.Add({"a\x1b[2Jb\n", "1"});
  table.Add({"größe", "2"});
  EXPECT_EQ(table.Text(),
            "NAME     N\n"
            "a?[2Jb?  1\n"
            "größe    2\n");
}

}  // namespace
}  // namespace hearth::command_line
