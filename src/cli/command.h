#pragma once

#include <iosfwd>
#include <memory>
#include <string_view>
#include <vector>

#include "base/file_system.h"
#include "base/options.h"

namespace hearth::cli {

// Exit codes that hold for every command.
inline constexpr int kExitOk = 0;
inline constexpr int kExitUsage = 2;

// The world as a command sees it.
struct Terminal {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  FileSystem& files;
};

// One run of a subcommand: its options, then its work.
class Command {
 public:
  virtual ~Command() = default;
  // The rows point into the command, which must outlive the table.
  virtual void AddOptions(OptionTable& table) = 0;
  // Called once, after the options were parsed; the exit code.
  virtual int Run(Terminal& terminal) = 0;
};

// A row of the table of subcommands: from it come dispatch, help and completion.
struct CommandRow {
  std::string_view name;
  std::string_view summary;  // one sentence
  std::unique_ptr<Command> (*make)();
};

// All of them, in the order of the help.
const std::vector<CommandRow>& Commands();
// Null when there is none.
const CommandRow* FindCommand(std::string_view name);

// The options of a command, as `hearth <name>` takes them.
OptionTable TableOf(const CommandRow& row, Command& command);

}  // namespace hearth::cli
