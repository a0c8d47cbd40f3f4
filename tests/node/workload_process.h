#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace hearth::node {

// What the workload (workload.cc) says of itself.
struct Spoken {
  std::string token;
  uint64_t requests = 0;
  uint64_t child_count = 0;
  std::string memory_hash;
  uint64_t threads = 0;
};

// Asks over its socket; waits until there is one.
Result<Spoken> AskWorkload(const std::string& socket);

// Starts it on this machine, in a session of its own and not as our child, so that a restore may
// take its pid.
Result<int> StartWorkload(const std::string& socket, int mebibytes, int threads,
                          const std::string& log);

// Kills the process and its child; returns when both are gone.
void KillWorkload(int pid);

}  // namespace hearth::node
