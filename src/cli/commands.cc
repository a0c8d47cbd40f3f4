#include "cli/command.h"
#include "cli/completion.h"
#include "cli/help.h"
#include "cli/validate.h"

namespace hearth::cli {

const std::vector<CommandRow>& Commands() {
  static const std::vector<CommandRow> kCommands = {
      {"validate", "Checks manifests as a server would, without one.", MakeValidate},
      {"completion", "Prints a script that teaches a shell to complete this program.",
       MakeCompletion},
      {"help", "Shows what a command does and takes.", MakeHelp},
  };
  return kCommands;
}

const CommandRow* FindCommand(std::string_view name) {
  for (const CommandRow& row : Commands()) {
    if (row.name == name) {
      return &row;
    }
  }
  return nullptr;
}

OptionTable TableOf(const CommandRow& row, Command& command) {
  OptionTable table("hearth " + std::string(row.name), std::string(row.summary));
  command.AddOptions(table);
  return table;
}

}  // namespace hearth::cli
