#pragma once

#include "command_line/program.h"

namespace hearth::cli {

// The `hearth` program with all its commands.
const command_line::Program& Hearth();

}  // namespace hearth::cli
