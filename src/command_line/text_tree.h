#pragma once

#include <string>
#include <vector>

namespace hearth::command_line {

// A thing of a tree for people, with what is below it.
struct TextTreeNode {
  std::string name;
  std::vector<std::string> cells;    // of the further columns; fewer is fine
  std::vector<std::string> remarks;  // across all columns, each on a line of its own behind "! "
  std::vector<TextTreeNode> below;
};

// Branches before the names, columns that stand below each other with two spaces between, nothing
// at the end of a line; what comes from elsewhere is cut and made harmless for a terminal. `titles`
// are those of the name and of the cells.
std::string TreeText(const std::vector<std::string>& titles, const TextTreeNode& root);

}  // namespace hearth::command_line
