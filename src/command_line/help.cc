#include "command_line/help.h"

#include <fmt/format.h>

#include <ostream>

#include "base/check.h"
#include "base/nearest_name.h"
#include "base/strings.h"

namespace hearth::command_line {
namespace {

class Help : public Command {
 public:
  explicit Help(const Program& program) : program_(program) {}

  void AddOptions(OptionTable& table) override {
    table.AddPositional({.name = "command",
                         .help = "Which one",
                         .target = &command_,
                         .choices = program_.CommandNames()});
  }

  int Run(Terminal& terminal) override {
    if (command_.empty()) {
      terminal.out << Overview(program_);
      return kExitOk;
    }
    const CommandRow* row = program_.Find(command_);
    CHECK(row != nullptr) << command_;
    const std::unique_ptr<Command> command = row->make();
    terminal.out << program_.TableOf(*row, *command).Help();
    return kExitOk;
  }

 private:
  const Program& program_;
  std::string command_;
};

}  // namespace

std::unique_ptr<Command> MakeHelp(const Program& program) {
  return std::make_unique<Help>(program);
}

std::string Overview(const Program& program) {
  std::string text = fmt::format("{}\n\nUsage: {} <command> [options]\n\nCommands:\n",
                                 program.purpose(), program.name());
  for (const CommandRow& row : program.commands()) {
    text += fmt::format("  {:10}  {}\n", row.name, row.summary);
  }
  return text +
         fmt::format(
             "\nOptions:\n  -h, --help     Show this text\n      --version  Show the version\n\n"
             "{} help <command> says more about one.\n",
             program.name());
}

std::string UnknownCommand(const Program& program, std::string_view name) {
  const std::string nearest = NearestName(name, program.CommandNames());
  return fmt::format("unknown command '{}'{} (see {} --help)", Excerpt(name, 80),
                     nearest.empty() ? "" : "; did you mean " + nearest + "?", program.name());
}

}  // namespace hearth::command_line
