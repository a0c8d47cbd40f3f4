#pragma once

#include <memory>

#include "cli/command.h"

namespace hearth::cli {

// hearth validate: see docs/validate.md.
std::unique_ptr<Command> MakeValidate();

}  // namespace hearth::cli
