#pragma once

#include <optional>
#include <string>

#include "agent/host/process_facts.h"
#include "base/clock.h"

// How long a container took to become worth capturing: what everybody is spared who is restored
// from it.
namespace hearth::agent {

// Pure. `age` is how long ago the container started, `ready_for` how long ago it said that it was
// ready. Nothing when it said so before it was there, or will only: somebody's clock was set, or he
// wrote the time himself.
std::optional<Duration> ColdStart(Duration age, Duration ready_for);

// Of a process and the root that it sees, by the age of kReadyFile in its control directory.
// Nothing when it cannot be told; nobody fails for that.
std::optional<Duration> MeasureColdStart(const ProcReader& proc, int pid, const std::string& root,
                                         WallTime now);

}  // namespace hearth::agent
