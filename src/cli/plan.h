#pragma once

#include <memory>

#include "command_line/command.h"

namespace hearth::cli {

// hearth plan: see docs/tree-and-plan.md.
std::unique_ptr<command_line::Command> MakePlan();

}  // namespace hearth::cli
