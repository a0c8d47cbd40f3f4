#include "command_line/text_table.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/strings.h"

namespace hearth::command_line {
namespace {

constexpr size_t kWidestCell = 96;

// Characters, not bytes: continuation bytes take no room.
size_t WidthOf(const std::string& text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string Aligned(const std::string& cell, size_t width, TextTable::Align align) {
  const std::string room(width - WidthOf(cell), ' ');
  return align == TextTable::Align::kRight ? room + cell : cell + room;
}

}  // namespace

TextTable::TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

void TextTable::Add(std::vector<std::string> cells) {
  CHECK(cells.size() == columns_.size()) << cells.size();
  for (std::string& cell : cells) {
    cell = cell.empty() ? "-" : Excerpt(cell, kWidestCell);
  }
  rows_.push_back(std::move(cells));
}

std::string TextTable::Text() const {
  std::vector<size_t> widths;
  std::vector<std::string> titles;
  for (size_t i = 0; i < columns_.size(); ++i) {
    widths.push_back(WidthOf(columns_[i].title));
    titles.push_back(columns_[i].title);
    for (const auto& row : rows_) {
      widths[i] = std::max(widths[i], WidthOf(row[i]));
    }
  }
  std::string text;
  const auto add_line = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (size_t i = 0; i < cells.size(); ++i) {
      line += (i == 0 ? "" : "  ") + Aligned(cells[i], widths[i], columns_[i].align);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  };
  add_line(titles);
  std::for_each(rows_.begin(), rows_.end(), add_line);
  return text;
}

}  // namespace hearth::command_line
