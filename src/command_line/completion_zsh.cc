#include <fmt/format.h>

#include "base/strings.h"
#include "command_line/completion.h"
#include "command_line/internal/shell_words.h"

namespace hearth::command_line {
namespace {

using Row = OptionTable::Row;

constexpr std::string_view kHead = R"sh(#compdef @
# zsh completion of @, made by `@ completion zsh`
_@() {
  local -a commands
)sh";
constexpr std::string_view kMiddle = R"sh(  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
)sh";
constexpr std::string_view kTail = R"sh(  esac
}
compdef _@ @
)sh";

// Brackets and colons mean something to _arguments and _describe.
std::string Described(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') {
      out += '\\';
    }
    out += c;
  }
  return out;
}

std::string Values(const Row& row) {
  if (!row.choices.empty()) {
    return fmt::format(":{}:({})", row.name, Join(row.choices, " "));
  }
  return fmt::format(":{}:{}", row.name, internal::TakesFile(row) ? "_files" : " ");
}

std::string Option(const Row& row) {
  std::string text;
  for (const std::string& spelling : internal::Spellings(row)) {
    const std::string one =
        fmt::format("{}{}[{}]{}", internal::IsList(row) ? "*" : "", spelling, Described(row.help),
                    internal::IsFlag(row) ? "" : Values(row));
    text += " " + internal::InQuotes(one);
  }
  return text;
}

std::string CommandCase(const CommandRow& row, const OptionTable& table) {
  std::string text = fmt::format("    {}) _arguments", row.name);
  for (const Row& option : table.rows()) {
    text += Option(option);
  }
  size_t place = 0;
  for (const Row& positional : table.positionals()) {
    const std::string where = internal::IsList(positional) ? "*" : fmt::format("{}", ++place);
    text += " " + internal::InQuotes(where + Values(positional));
  }
  return text + " ;;\n";
}

}  // namespace

std::string ZshCompletion(const Program& program) {
  std::string text = internal::Named(kHead, program.name());
  text += "  commands=(";
  for (const CommandRow& row : program.commands()) {
    text += " " + internal::InQuotes(fmt::format("{}:{}", row.name, Described(row.summary)));
  }
  text += " )\n" + std::string(kMiddle);
  for (const CommandRow& row : program.commands()) {
    const std::unique_ptr<Command> command = row.make();
    text += CommandCase(row, program.TableOf(row, *command));
  }
  return text + internal::Named(kTail, program.name());
}

}  // namespace hearth::command_line
