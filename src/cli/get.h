#pragma once

#include <memory>

#include "command_line/command.h"

namespace hearth::cli {

// hearth get: see docs/graphs-cli.md.
std::unique_ptr<command_line::Command> MakeGet();

}  // namespace hearth::cli
