// OptionTable's texts for people: --help and the reference page.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/internal/option_value.h"
#include "base/options.h"
#include "base/strings.h"

namespace hearth {
namespace {

using Row = OptionTable::Row;
using Lines = std::vector<std::pair<std::string, std::string>>;

std::string ValueName(const Row& row) {
  if (row.value_name.empty() && !row.choices.empty()) {
    return Join(row.choices, "|");
  }
  return row.value_name.empty() ? std::string(internal::KindName(row.target)) : row.value_name;
}

// "-w, --workers <number>", with room kept for the letter of others.
std::string OptionLeft(const Row& row) {
  std::string left = row.letter != 0 ? fmt::format("-{}, --{}", row.letter, row.name)
                                     : fmt::format("    --{}", row.name);
  if (!internal::IsFlag(row.target)) {
    left += " <" + ValueName(row) + ">";
  }
  return left;
}

std::string ArgumentLeft(const Row& row) {
  std::string left = "<" + row.name + ">" + (internal::IsList(row.target) ? "..." : "");
  return row.required ? left : "[" + left + "]";
}

// "Reconcilers that run at once (default 4, environment WORKERS)"
std::string HelpRight(const Row& row) {
  std::vector<std::string> notes;
  const std::string default_text = internal::DefaultText(row.target);
  if (row.required) {
    notes.emplace_back("required");
  } else if (!default_text.empty()) {
    notes.push_back("default " + default_text);
  }
  if (!row.environment.empty()) {
    notes.push_back("environment " + row.environment);
  }
  return notes.empty() ? row.help : row.help + " (" + Join(notes, ", ") + ")";
}

std::string Section(std::string_view title, const Lines& lines) {
  if (lines.empty()) {
    return {};
  }
  size_t width = 0;
  for (const auto& [left, right] : lines) {
    width = std::max(width, left.size());
  }
  std::string text = fmt::format("\n{}:\n", title);
  for (const auto& [left, right] : lines) {
    fmt::format_to(std::back_inserter(text), "  {:{}}  {}\n", left, width, right);
  }
  return text;
}

std::string Code(const std::string& text) { return text.empty() ? "" : "`" + text + "`"; }

std::string TableCell(std::string_view text) {
  std::string cell;
  for (char c : text) {
    cell += c == '|' ? "\\|" : std::string(1, c);
  }
  return cell;
}

std::string TableRow(const std::string& name, const Row& row) {
  const std::string default_text =
      row.required ? "required" : Code(internal::DefaultText(row.target));
  std::string line = "|";
  for (const std::string& cell :
       {Code(name), ValueName(row), default_text, Code(row.environment), row.help}) {
    // An empty cell still wants its two spaces, one of them shared.
    line += cell.empty() ? " |" : " " + TableCell(cell) + " |";
  }
  return line + "\n";
}

std::string TableName(const Row& row) {
  return row.letter != 0 ? fmt::format("-{}, --{}", row.letter, row.name) : "--" + row.name;
}

}  // namespace

std::string OptionTable::Help() const {
  std::string usage = program_ + " [options]";
  Lines arguments;
  for (const Row& row : positionals_) {
    usage += " " + ArgumentLeft(row);
    arguments.emplace_back(ArgumentLeft(row), HelpRight(row));
  }
  Lines options;
  for (const Row& row : rows_) {
    options.emplace_back(OptionLeft(row), HelpRight(row));
  }
  options.emplace_back("-h, --help", "Show this text");
  options.emplace_back("    --version", "Show the version");
  return purpose_ + "\n\nUsage: " + usage + "\n" + Section("Arguments", arguments) +
         Section("Options", options) + notes_;
}

std::string OptionTable::Reference() const {
  std::string text = "| Option | Value | Default | Environment | Meaning |\n";
  text += "| --- | --- | --- | --- | --- |\n";
  for (const Row& row : positionals_) {
    text += TableRow(ArgumentLeft(row), row);
  }
  for (const Row& row : rows_) {
    text += TableRow(TableName(row), row);
  }
  return text;
}

}  // namespace hearth
