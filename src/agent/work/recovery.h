#pragma once

#include <functional>
#include <set>
#include <string>

#include "agent/container/container.h"
#include "agent/cuda/sequence.h"
#include "base/clock.h"
#include "base/file_system.h"
#include "base/log.h"

namespace hearth::agent {

// Captures in the middle of which somebody was killed: their orders, and the containers they left
// in a state that nobody knows.
struct CutOffCaptures {
  std::set<std::string, std::less<>> contents;
  std::set<std::string, std::less<>> containers;
};

struct RecoveryPlaces {
  std::string journal_directory;
  std::string storage_directory;
  std::string host_proc = "/proc";
};
struct RecoveryParts {
  ContainerRuntime& runtime;
  FileSystem& files;
  Clock& clock;
  cuda::Sequence* cuda = nullptr;
};

// Sets right what an agent before this one left when it was killed: containers are thawed; of
// captures that came to nothing CUDA is released and the container killed, since its memory,
// sockets and network may be as CRIU left them; staging that nobody owns is removed. A capture that
// was stored is left to be told of, a restore to be begun again. Failures are logged; what could
// not be ended is tried again by the next agent, and is among the answer all the same.
CutOffCaptures RecoverFromDeath(const RecoveryPlaces& places, const RecoveryParts& parts,
                                const Logger& log);

}  // namespace hearth::agent
