#include "snapshot/operator/testing/documented_table.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/file_system.h"
#include "base/strings.h"

namespace hearth::snapshot {
namespace {

std::string Cell(std::string_view text) {
  std::string cell(Trim(text));
  std::erase(cell, '`');
  return cell;
}

}  // namespace

std::map<std::string, std::string> DocumentedTable(const std::string& source_directory,
                                                   const std::string& heading) {
  const auto page = RealFileSystem().Read(source_directory + "/docs/snapshots.md", 1 << 20);
  const std::string text = page.ok() ? *page : "";
  std::map<std::string, std::string> rows;
  bool inside = false;
  for (const std::string_view line : Split(text, '\n')) {
    if (line.starts_with("#")) {
      inside = line.substr(std::min(line.find_first_not_of("# "), line.size())) == heading;
    }
    const std::vector<std::string_view> cells = Split(line, '|');
    if (inside && line.starts_with("| `") && cells.size() > 3) {
      rows[Cell(cells[1])] = Cell(cells[cells.size() - 2]);
    }
  }
  return rows;
}

}  // namespace hearth::snapshot
