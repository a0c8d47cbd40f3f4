#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <stop_token>
#include <string_view>

#include "base/file_system.h"
#include "base/options.h"

namespace hearth::command_line {

// Exit codes that hold for every command of every program.
inline constexpr int kExitOk = 0;
inline constexpr int kExitUsage = 2;

// The world as a command sees it.
struct Terminal {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  FileSystem& files;
  // Somebody looks at `out` while it is written: what is live may be drawn over.
  bool interactive = false;
  // Ends whatever goes on for long.
  std::stop_token stop = {};
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
  std::function<std::unique_ptr<Command>()> make;
};

}  // namespace hearth::command_line
