#pragma once

#include <memory>

#include "command_line/command.h"

namespace hearth::cli {

// hearth tree: see docs/tree-and-plan.md.
std::unique_ptr<command_line::Command> MakeTree();

}  // namespace hearth::cli
