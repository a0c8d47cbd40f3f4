#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agent/host/phases.h"
#include "base/result.h"

namespace hearth::agent {

// What nsrestore tells the agent when all went well.
struct Restored {
  int pid = 0;               // in the container's pid namespace
  std::string left_to_criu;  // why it was CRIU that filled the memory; empty: it was us
  // TCP connections to others: they did not come back. Whose they were, each once, the first of
  // them.
  uint64_t dropped_connections = 0;
  std::vector<std::string> dropped_peers;
  std::vector<Phase> phases;  // files, criu_prepare, criu_restore, pages, resume
};

// nsrestore ends so when the artifact is damaged, and with 1 after other failures.
inline constexpr int kExitDamaged = 3;

// One line.
std::string WriteRestored(const Restored& restored);
// The last line of what it printed. kInternal: it is none.
Result<Restored> ReadRestored(std::string_view output);

}  // namespace hearth::agent
