#pragma once

#include <memory>

#include "command_line/command.h"

// The commands, each in a file of its name.
namespace hearth::snapshot::ctl {

std::unique_ptr<command_line::Command> MakeCheck();
std::unique_ptr<command_line::Command> MakeCheckpoint();
std::unique_ptr<command_line::Command> MakeDiff();
std::unique_ptr<command_line::Command> MakeExplain();
std::unique_ptr<command_line::Command> MakeGc();
std::unique_ptr<command_line::Command> MakeInspect();
std::unique_ptr<command_line::Command> MakeLint();
std::unique_ptr<command_line::Command> MakeList();
std::unique_ptr<command_line::Command> MakePreflight();
std::unique_ptr<command_line::Command> MakeRestore();
std::unique_ptr<command_line::Command> MakeVerify();

}  // namespace hearth::snapshot::ctl
