#include "snapshot/ctl/internal/restore_progress.h"

#include <unistd.h>

#include <algorithm>

#include "agent/host/process_facts.h"

namespace hearth::snapshot::ctl {
namespace {

// What several share counts once: most share the same.
uint64_t MemoryBelow(int pid) {
  const auto tree = agent::ProcReader().Tree(pid);
  uint64_t own = 0;
  uint64_t shared = 0;
  for (const agent::ProcessFacts& process :
       tree.ok() ? *tree : std::vector<agent::ProcessFacts>()) {
    if (process.pid != pid) {
      own += process.own_bytes;
      shared = std::max(shared, process.shared_bytes);
    }
  }
  return own + shared;
}

}  // namespace

RestoreProgress::RestoreProgress(uint64_t total_bytes)
    : total_(total_bytes), begin_(RealClock().Now()) {}

disk::Progress RestoreProgress::Look() {
  highest_ = finished_ ? total_ : std::max(highest_, std::min(total_, MemoryBelow(::getpid())));
  return {.phase = "restore",
          .done_bytes = highest_,
          .total_bytes = total_,
          .elapsed = RealClock().Now() - begin_};
}

}  // namespace hearth::snapshot::ctl
