#pragma once

#include <functional>
#include <set>
#include <string>

#include "agent/container/container.h"
#include "agent/cuda/sequence.h"
#include "base/clock.h"
#include "base/file_system.h"
#include "base/log.h"
#include "base/process_runner.h"

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
  ProcessRunner& processes = RealProcessRunner();
};

// Sets right what an agent before this one left when it was killed: containers are thawed; of
// captures that came to nothing CUDA and the pod's network are released and the container killed,
// since its memory and sockets may be as CRIU left them; staging that nobody owns is removed. The
// network is found also when the container is gone, as long as anything of the pod is there. What a
// restore has made until then is ended, and the restore left to be begun again. A capture that was
// stored is left to be told of. Every step has a time of its own: one that hangs keeps none of the
// others. Failures are logged; what could not be killed or released is tried again by the next
// agent, and is among the answer all the same.
CutOffCaptures RecoverFromDeath(const RecoveryPlaces& places, const RecoveryParts& parts,
                                const Logger& log);

}  // namespace hearth::agent
