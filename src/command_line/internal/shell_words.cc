#include "command_line/internal/shell_words.h"

#include <algorithm>

namespace hearth::command_line::internal {

bool IsFlag(const OptionTable::Row& row) { return std::holds_alternative<bool*>(row.target); }

bool IsList(const OptionTable::Row& row) {
  return std::holds_alternative<std::vector<std::string>*>(row.target);
}

bool TakesFile(const OptionTable::Row& row) { return row.value_name == "file"; }

std::vector<std::string> Spellings(const OptionTable::Row& row) {
  std::vector<std::string> spellings;
  if (row.letter != 0) {
    spellings.push_back(std::string("-") + row.letter);
  }
  spellings.push_back("--" + row.name);
  return spellings;
}

std::vector<std::string> AllSpellings(const OptionTable& table) {
  std::vector<std::string> all;
  for (const OptionTable::Row& row : table.rows()) {
    for (std::string& spelling : Spellings(row)) {
      all.push_back(std::move(spelling));
    }
  }
  all.insert(all.end(), {"--help", "--version"});
  return all;
}

std::string InQuotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    out += c == '\'' ? "'\\''" : std::string(1, c);
  }
  return out + "'";
}

std::string Named(std::string_view script, std::string_view program) {
  std::string name(program);
  std::replace(name.begin(), name.end(), ' ', '-');
  std::string out;
  for (const char c : script) {
    out += c == '@' ? name : std::string(1, c);
  }
  return out;
}

}  // namespace hearth::command_line::internal
