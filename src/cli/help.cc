#include "cli/help.h"

#include <fmt/format.h>

#include <ostream>

#include "base/check.h"
#include "base/nearest_name.h"
#include "base/strings.h"

namespace hearth::cli {
namespace {

std::vector<std::string> CommandNames() {
  std::vector<std::string> names;
  for (const CommandRow& row : Commands()) {
    names.emplace_back(row.name);
  }
  return names;
}

class Help : public Command {
 public:
  void AddOptions(OptionTable& table) override {
    table.AddPositional(
        {.name = "command", .help = "Which one", .target = &command_, .choices = CommandNames()});
  }

  int Run(Terminal& terminal) override {
    if (command_.empty()) {
      terminal.out << Overview();
      return kExitOk;
    }
    const CommandRow* row = FindCommand(command_);
    CHECK(row != nullptr) << command_;
    const std::unique_ptr<Command> command = row->make();
    terminal.out << TableOf(*row, *command).Help();
    return kExitOk;
  }

 private:
  std::string command_;
};

}  // namespace

std::unique_ptr<Command> MakeHelp() { return std::make_unique<Help>(); }

std::string Overview() {
  std::string text =
      "Hearth keeps GPU inference warm on Kubernetes.\n\nUsage: hearth <command> "
      "[options]\n\nCommands:\n";
  for (const CommandRow& row : Commands()) {
    text += fmt::format("  {:10}  {}\n", row.name, row.summary);
  }
  return text +
         "\nOptions:\n  -h, --help     Show this text\n      --version  Show the version\n\n"
         "hearth help <command> says more about one.\n";
}

std::string UnknownCommand(std::string_view name) {
  const std::string nearest = NearestName(name, CommandNames());
  return fmt::format("unknown command '{}'{} (see hearth --help)", Excerpt(name, 80),
                     nearest.empty() ? "" : "; did you mean " + nearest + "?");
}

}  // namespace hearth::cli
