#include <fmt/format.h>

#include "base/strings.h"
#include "command_line/completion.h"
#include "command_line/internal/shell_words.h"

namespace hearth::command_line {
namespace {

using Row = OptionTable::Row;

constexpr std::string_view kHead =
    R"sh(# bash completion of @, made by `@ completion bash`
_@() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command='' i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ ${COMP_WORDS[i]} != -* ]]; then
      command=${COMP_WORDS[i]}
      break
    fi
  done
  case $command in
)sh";
constexpr std::string_view kTail = R"sh(  esac
}
complete -o bashdefault -F _@ @
)sh";

std::string Words(const std::vector<std::string>& words) {
  return fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$current\"))", Join(words, " "));
}

// What may stand where the row's value is.
std::string Values(const Row& row) {
  if (!row.choices.empty()) {
    return Words(row.choices);
  }
  return internal::TakesFile(row) ? "COMPREPLY=($(compgen -f -- \"$current\"))" : ":";
}

std::string CommandCase(const CommandRow& row, const OptionTable& table) {
  std::string text = fmt::format("    {})\n      case $previous in\n", row.name);
  for (const Row& option : table.rows()) {
    if (!internal::IsFlag(option)) {
      text += fmt::format("        {}) {}; return ;;\n", Join(internal::Spellings(option), "|"),
                          Values(option));
    }
  }
  text += fmt::format("      esac\n      if [[ $current == -* ]]; then\n        {}\n",
                      Words(internal::AllSpellings(table)));
  if (!table.positionals().empty()) {
    text += fmt::format("      else\n        {}\n", Values(table.positionals().front()));
  }
  return text + "      fi\n      ;;\n";
}

}  // namespace

std::string BashCompletion(const Program& program) {
  std::string text = internal::Named(kHead, program.name());
  std::vector<std::string> first = program.CommandNames();
  first.insert(first.end(), {"--help", "--version"});
  text += fmt::format("    '') {} ;;\n", Words(first));
  for (const CommandRow& row : program.commands()) {
    const std::unique_ptr<Command> command = row.make();
    text += CommandCase(row, program.TableOf(row, *command));
  }
  return text + internal::Named(kTail, program.name());
}

}  // namespace hearth::command_line
