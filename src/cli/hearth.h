#pragma once

#include <string_view>

#include "command_line/program.h"

namespace hearth::cli {

// The `hearth` program with all its commands.
const command_line::Program& Hearth();
// The same as a plugin of kubectl: its help says `kubectl hearth`.
const command_line::Program& KubectlHearth();

// main: what the program does depends on the name that it is called by. `kubectl-hearth` is
// KubectlHearth(), `kubectl_complete-hearth` completes it for kubectl, all others are Hearth().
int HearthMain(int argc, char** argv);

}  // namespace hearth::cli
