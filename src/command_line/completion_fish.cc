#include <fmt/format.h>

#include "base/strings.h"
#include "command_line/completion.h"
#include "command_line/internal/shell_words.h"

namespace hearth::command_line {
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

std::string FishCompletion(const Program& program) {
  const std::string name = internal::Named("@", program.name());
  std::string text = fmt::format(
      "# fish completion of {0}, made by `{0} completion fish`\ncomplete -c {0} -f\n", name);
  for (const CommandRow& row : program.commands()) {
    text += fmt::format("complete -c {} -n __fish_use_subcommand -a {} -d {}\n", name, row.name,
                        Quoted(row.summary));
  }
  for (const CommandRow& row : program.commands()) {
    const std::unique_ptr<Command> command = row.make();
    const OptionTable table = program.TableOf(row, *command);
    const std::string condition =
        fmt::format("complete -c {} -n '__fish_seen_subcommand_from {}'", name, row.name);
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

}  // namespace hearth::command_line
