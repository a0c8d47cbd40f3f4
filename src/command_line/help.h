#pragma once

#include <memory>
#include <string>

#include "command_line/program.h"

namespace hearth::command_line {

// <program> help [command]. The program must outlive it.
std::unique_ptr<Command> MakeHelp(const Program& program);

// What the program alone says.
std::string Overview(const Program& program);
// "unknown command 'valdate'; did you mean validate? (see hearth --help)"
std::string UnknownCommand(const Program& program, std::string_view name);

}  // namespace hearth::command_line
