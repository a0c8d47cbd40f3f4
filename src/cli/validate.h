#pragma once

#include <memory>

#include "command_line/command.h"

namespace hearth::cli {

// hearth validate: see docs/validate.md.
std::unique_ptr<command_line::Command> MakeValidate();

}  // namespace hearth::cli
