#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "command_line/command.h"

namespace hearth::command_line {

// A program of subcommands: `hearth validate ...`. Adds `completion` and `help` to what it is
// given. Immutable; lives at one place, because those two know it.
class Program {
 public:
  struct Facts {
    std::string_view name;        // "hearth"
    std::string_view purpose;     // one sentence
    std::string_view version;     // "0.1.0"
    int usage_exit = kExitUsage;  // of a command line that makes no sense
  };
  Program(const Facts& facts, std::vector<CommandRow> commands);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // Finds the command, reads its options, runs it. `arguments` are without the program's name. The
  // exit code; usage_exit when the command line makes no sense.
  int Run(const std::vector<std::string>& arguments, Terminal& terminal) const;

  std::string_view name() const { return facts_.name; }
  std::string_view purpose() const { return facts_.purpose; }
  // "hearth 0.1.0"
  std::string VersionLine() const;
  // All of them, in the order of the help.
  const std::vector<CommandRow>& commands() const { return commands_; }
  std::vector<std::string> CommandNames() const;
  // Null when there is none.
  const CommandRow* Find(std::string_view command) const;
  // The options of a command, as `<program> <name>` takes them.
  OptionTable TableOf(const CommandRow& row, Command& command) const;

 private:
  int RunCommand(const CommandRow& row, const std::vector<std::string>& arguments,
                 Terminal& terminal) const;

  Facts facts_;
  std::vector<CommandRow> commands_;
};

// What a main does with its arguments: standard streams, and a message when the output cannot be
// written, which ends with `broken_output`.
int Main(const Program& program, int argc, char** argv, int broken_output,
         std::stop_token stop = {});

}  // namespace hearth::command_line
