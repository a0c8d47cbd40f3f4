#include "cli/program.h"

#include <ostream>

#include "cli/help.h"

namespace hearth::cli {
namespace {

using Parsed = OptionTable::Parsed;

int RunCommand(const CommandRow& row, const std::vector<std::string>& arguments,
               Terminal& terminal) {
  const std::unique_ptr<Command> command = row.make();
  const OptionTable table = TableOf(row, *command);
  std::vector<const char*> argv;
  argv.reserve(arguments.size());
  for (const std::string& argument : arguments) {  // the command's name stands for the program's
    argv.push_back(argument.c_str());
  }
  const auto parsed = table.Parse(static_cast<int>(argv.size()), argv.data());
  if (!parsed.ok()) {
    terminal.err << "hearth " << row.name << ": " << parsed.status().message() << "\n";
    return kExitUsage;
  }
  if (*parsed != Parsed::kRun) {
    terminal.out << (*parsed == Parsed::kHelp ? table.Help() : VersionLine());
    return kExitOk;
  }
  return command->Run(terminal);
}

}  // namespace

std::string VersionLine() { return "hearth " HEARTH_VERSION "\n"; }

int RunHearth(const std::vector<std::string>& arguments, Terminal& terminal) {
  const std::string first = arguments.empty() ? "--help" : arguments.front();
  if (first == "--help" || first == "-h") {
    terminal.out << Overview();
    return kExitOk;
  }
  if (first == "--version") {
    terminal.out << VersionLine();
    return kExitOk;
  }
  const CommandRow* row = FindCommand(first);
  if (row == nullptr) {
    terminal.err << "hearth: " << UnknownCommand(first) << "\n";
    return kExitUsage;
  }
  return RunCommand(*row, arguments, terminal);
}

}  // namespace hearth::cli
