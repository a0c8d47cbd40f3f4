#pragma once

namespace hearth::gms::server {

// The whole program; `stop_fd` polls readable when it is to end. The exit code.
int RunProgram(int argc, const char* const* argv, int stop_fd);

}  // namespace hearth::gms::server
