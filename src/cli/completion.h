#pragma once

#include <memory>
#include <string>

#include "cli/command.h"

namespace hearth::cli {

// hearth completion bash|zsh|fish
std::unique_ptr<Command> MakeCompletion();

// The scripts, made from the table of commands and the options of each.
std::string BashCompletion();
std::string ZshCompletion();
std::string FishCompletion();

}  // namespace hearth::cli
