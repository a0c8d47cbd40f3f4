#pragma once

#include <memory>
#include <string>

#include "cli/command.h"

namespace hearth::cli {

// hearth help [command]
std::unique_ptr<Command> MakeHelp();

// What `hearth` alone says.
std::string Overview();
// "unknown command 'valdate'; did you mean validate? (see hearth --help)"
std::string UnknownCommand(std::string_view name);

}  // namespace hearth::cli
