#pragma once

#include "command_line/program.h"

namespace hearth::gms::ctl {

// The `gmsctl` program with all its commands.
const command_line::Program& Gmsctl();

}  // namespace hearth::gms::ctl
