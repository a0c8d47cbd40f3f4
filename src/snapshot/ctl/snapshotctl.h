#pragma once

#include "command_line/program.h"

namespace hearth::snapshot::ctl {

// The `snapshotctl` program with all its commands.
const command_line::Program& Snapshotctl();

}  // namespace hearth::snapshot::ctl
