#include <fmt/format.h>

#include "base/strings.h"
#include "cli/completion.h"
#include "cli/internal/shell_words.h"

namespace hearth::cli {
namespace {

using Row = OptionTable::Row;

// Fish escapes a single quote within single quotes by a backslash.
std::string Quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    out += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  }
  return out + "'";
}

std::string Values(const Row& row) {
  if (!row.choices.empty()) {
    return " -a " + Quoted(Join(row.choices, " "));
  }
  return internal::TakesFile(row) ? " -F" : "";
}

std::string Option(const std::string& condition, const Row& row) {
  std::string text = condition + " -l " + row.name;
  if (row.letter != 0) {
    text += std::string(" -s ") + row.letter;
  }
  if (!internal::IsFlag(row)) {
    text += (internal::TakesFile(row) ? " -r" : " -x") + Values(row);
  }
  return text + " -d " + Quoted(row.help) + "\n";
}

}  // namespace

std::string FishCompletion() {
  std::string text = "# fish completion of hearth, made by `hearth completion fish`\n";
  text += "complete -c hearth -f\n";
  for (const CommandRow& row : Commands()) {
    text += fmt::format("complete -c hearth -n __fish_use_subcommand -a {} -d {}\n", row.name,
                        Quoted(row.summary));
  }
  for (const CommandRow& row : Commands()) {
    const std::unique_ptr<Command> command = row.make();
    const OptionTable table = TableOf(row, *command);
    const std::string condition =
        fmt::format("complete -c hearth -n '__fish_seen_subcommand_from {}'", row.name);
    for (const Row& option : table.rows()) {
      text += Option(condition, option);
    }
    for (const Row& positional : table.positionals()) {
      const std::string values = Values(positional);
      text += values.empty() ? "" : condition + values + "\n";
    }
  }
  return text;
}

}  // namespace hearth::cli
