#pragma once

#include <string>
#include <vector>

namespace hearth::command_line {

// A table for people: columns as wide as their widest cell, two spaces between, nothing at the end
// of a line. An empty cell is shown as "-"; control characters and what is not UTF-8 as '?', so
// that a name from elsewhere cannot paint the terminal.
class TextTable {
 public:
  enum class Align { kLeft, kRight };
  struct Column {
    std::string title;
    Align align = Align::kLeft;
  };

  explicit TextTable(std::vector<Column> columns);
  // One cell for each column.
  void Add(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }
  // With the titles; every line ends.
  std::string Text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace hearth::command_line
