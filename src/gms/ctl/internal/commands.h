#pragma once

#include <memory>

#include "command_line/command.h"

// The commands, each in a file of its name.
namespace hearth::gms::ctl {

std::unique_ptr<command_line::Command> MakeBench();
std::unique_ptr<command_line::Command> MakeDiff();
std::unique_ptr<command_line::Command> MakeEvents();
std::unique_ptr<command_line::Command> MakeEvict();
std::unique_ptr<command_line::Command> MakeFence();
std::unique_ptr<command_line::Command> MakeInspect();
std::unique_ptr<command_line::Command> MakeLs();
std::unique_ptr<command_line::Command> MakeMetrics();
std::unique_ptr<command_line::Command> MakeStatus();
std::unique_ptr<command_line::Command> MakeTop();
std::unique_ptr<command_line::Command> MakeVerify();

}  // namespace hearth::gms::ctl
