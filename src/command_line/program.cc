#include "command_line/program.h"

#include <unistd.h>

#include <iostream>

#include "command_line/completion.h"
#include "command_line/help.h"

namespace hearth::command_line {

using Parsed = OptionTable::Parsed;

Program::Program(const Facts& facts, std::vector<CommandRow> commands)
    : facts_(facts), commands_(std::move(commands)) {
  commands_.push_back({"completion",
                       "Prints a script that teaches a shell to complete this program.",
                       [this] { return MakeCompletion(*this); }});
  commands_.push_back(
      {"help", "Shows what a command does and takes.", [this] { return MakeHelp(*this); }});
}

std::string Program::VersionLine() const {
  return std::string(facts_.name) + " " + std::string(facts_.version) + "\n";
}

std::vector<std::string> Program::CommandNames() const {
  std::vector<std::string> names;
  for (const CommandRow& row : commands_) {
    names.emplace_back(row.name);
  }
  return names;
}

const CommandRow* Program::Find(std::string_view command) const {
  for (const CommandRow& row : commands_) {
    if (row.name == command) {
      return &row;
    }
  }
  return nullptr;
}

OptionTable Program::TableOf(const CommandRow& row, Command& command) const {
  OptionTable table(std::string(facts_.name) + " " + std::string(row.name),
                    std::string(row.summary));
  command.AddOptions(table);
  return table;
}

int Program::RunCommand(const CommandRow& row, const std::vector<std::string>& arguments,
                        Terminal& terminal) const {
  const std::unique_ptr<Command> command = row.make();
  const OptionTable table = TableOf(row, *command);
  std::vector<const char*> argv;
  argv.reserve(arguments.size());
  for (const std::string& argument : arguments) {  // the command's name stands for the program's
    argv.push_back(argument.c_str());
  }
  const auto parsed = table.Parse(static_cast<int>(argv.size()), argv.data());
  if (!parsed.ok()) {
    terminal.err << facts_.name << " " << row.name << ": " << parsed.status().message() << "\n";
    return facts_.usage_exit;
  }
  if (*parsed != Parsed::kRun) {
    terminal.out << (*parsed == Parsed::kHelp ? table.Help() : VersionLine());
    return kExitOk;
  }
  return command->Run(terminal);
}

int Program::Run(const std::vector<std::string>& arguments, Terminal& terminal) const {
  const std::string first = arguments.empty() ? "--help" : arguments.front();
  if (first == "--help" || first == "-h") {
    terminal.out << Overview(*this);
    return kExitOk;
  }
  if (first == "--version") {
    terminal.out << VersionLine();
    return kExitOk;
  }
  const CommandRow* row = Find(first);
  if (row == nullptr) {
    terminal.err << facts_.name << ": " << UnknownCommand(*this, first) << "\n";
    return facts_.usage_exit;
  }
  return RunCommand(*row, arguments, terminal);
}

int Main(const Program& program, int argc, char** argv, int broken_output, std::stop_token stop) {
  std::ios::sync_with_stdio(false);
  Terminal terminal{std::cin,         std::cout,        std::cerr,
                    RealFileSystem(), ::isatty(1) == 1, std::move(stop)};
  const int code = program.Run({argv + 1, argv + argc}, terminal);
  if (!std::cout.flush()) {
    std::cerr << program.name() << ": cannot write to standard output\n";
    return broken_output;
  }
  return code;
}

}  // namespace hearth::command_line
