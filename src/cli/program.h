#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace hearth::cli {

// The whole program: finds the command, reads its options, runs it. `arguments` are without the
// program's name. The exit code; 2 when the command line makes no sense.
int RunHearth(const std::vector<std::string>& arguments, Terminal& terminal);

// "hearth 0.1.0"
std::string VersionLine();

}  // namespace hearth::cli
