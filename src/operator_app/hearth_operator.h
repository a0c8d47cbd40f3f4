#pragma once

#include <memory>

#include "command_line/program.h"

namespace hearth::operator_app {

// The hearth-operator program.
const command_line::Program& HearthOperator();

// hearth-operator run
std::unique_ptr<command_line::Command> MakeRun();

}  // namespace hearth::operator_app
