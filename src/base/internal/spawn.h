#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "base/process_runner.h"
#include "base/result.h"
#include "base/unique_fd.h"

namespace hearth::internal {

struct SpawnSpec {
  const std::vector<std::string>& argv;
  const std::vector<std::pair<std::string, std::string>>& env;
  bool clear_env;
  const std::string& directory;
  // Become 0, 1 and 2 of the new process.
  int input_fd;
  int output_fd;
  int errors_fd;
  // The only others of ours that it gets, under the numbers they have here; above 2.
  std::vector<int> inherited_fds = {};
};

// A child that was not waited for yet. Its group cannot be taken by others until then, so it is
// always safe to kill.
struct Spawned {
  pid_t pid = -1;
  UniqueFd pidfd;  // readable when it has ended
};

// Starts a program in a process group of its own, with no signal blocked or ignored, that dies with
// the thread that started it. Returns once the program runs. kNotFound: no such program, or no such
// directory.
Result<Spawned> Spawn(const SpawnSpec& spec);

void KillGroup(const Spawned& child);
// Waits for the child itself and says how it ended; the output is empty. `child` is none
// afterwards.
ProcessOutcome Reap(Spawned& child);

}  // namespace hearth::internal
