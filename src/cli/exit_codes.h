#pragma once

// Exit codes of commands that wait for something; 0 and 2 are those of every command.
namespace hearth::cli {

inline constexpr int kExitFailed = 1;  // it ended, and not well
inline constexpr int kExitNotYet = 3;  // the time was over before it ended

}  // namespace hearth::cli
