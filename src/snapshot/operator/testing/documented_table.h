#pragma once

#include <map>
#include <string>

namespace hearth::snapshot {

// The rows of the table under a heading of docs/snapshots.md: first cell, without its quotes, to
// last cell. Empty when there is none.
std::map<std::string, std::string> DocumentedTable(const std::string& source_directory,
                                                   const std::string& heading);

}  // namespace hearth::snapshot
