#pragma once

#include <memory>
#include <string>

#include "command_line/program.h"

namespace hearth::command_line {

// <program> completion bash|zsh|fish. The program must outlive it.
std::unique_ptr<Command> MakeCompletion(const Program& program);

// The scripts, made from the table of commands and the options of each.
std::string BashCompletion(const Program& program);
std::string ZshCompletion(const Program& program);
std::string FishCompletion(const Program& program);

}  // namespace hearth::command_line
