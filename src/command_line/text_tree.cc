#include "command_line/text_tree.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"

namespace hearth::command_line {
namespace {

constexpr size_t kLongestName = 320;
constexpr size_t kLongestText = 1024;

// Characters, not bytes: continuation bytes take no room.
size_t WidthOf(const std::string& text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

class Writer {
 public:
  explicit Writer(const std::vector<std::string>& titles) { lines_.push_back({titles, false}); }

  void Add(const TextTreeNode& node, const std::string& first, const std::string& rest) {
    std::vector<std::string> cells = {first + Excerpt(node.name, kLongestName)};
    for (const std::string& cell : node.cells) {
      cells.push_back(Excerpt(cell, kLongestText));
    }
    lines_.push_back({std::move(cells), false});
    // Between a thing and what is below it.
    for (const std::string& remark : node.remarks) {
      const std::string bar = node.below.empty() ? "   " : "│  ";
      lines_.push_back({{rest + bar + "! " + Excerpt(remark, kLongestText)}, true});
    }
    for (size_t i = 0; i < node.below.size(); ++i) {
      const bool last = i + 1 == node.below.size();
      Add(node.below[i], rest + (last ? "└─ " : "├─ "), rest + (last ? "   " : "│  "));
    }
  }

  std::string Text() const {
    const std::vector<size_t> widths = Widths();
    std::string text;
    for (const Line& line : lines_) {
      std::string out;
      for (size_t i = 0; i < line.cells.size(); ++i) {
        const bool last = i + 1 == line.cells.size();
        const size_t room = last ? 0 : widths[i] - WidthOf(line.cells[i]) + 2;
        out += line.cells[i] + std::string(room, ' ');
      }
      out.erase(out.find_last_not_of(' ') + 1);
      text += out + "\n";
    }
    return text;
  }

 private:
  struct Line {
    std::vector<std::string> cells;
    bool across = false;
  };

  std::vector<size_t> Widths() const {
    std::vector<size_t> widths;
    for (const Line& line : lines_) {
      widths.resize(std::max(widths.size(), line.cells.size()));
      for (size_t i = 0; i < line.cells.size() && !line.across; ++i) {
        widths[i] = std::max(widths[i], WidthOf(line.cells[i]));
      }
    }
    return widths;
  }

  std::vector<Line> lines_;
};

}  // namespace

std::string TreeText(const std::vector<std::string>& titles, const TextTreeNode& root) {
  Writer writer(titles);
  writer.Add(root, "", "");
  return writer.Text();
}

}  // namespace hearth::command_line
