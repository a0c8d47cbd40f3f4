#pragma once

#include <functional>

#include "agent/host/process_facts.h"
#include "base/status.h"
#include "base/wait_limit.h"

namespace hearth::agent {

// Whether a process is one of those to be ended. kUnsure: it cannot be told now, and can be soon.
enum class Match { kNo, kYes, kUnsure };
using MatchProcess = std::function<Match(int pid)>;

// Sends SIGKILL to every process that matches, and waits until each has ended: until its memory,
// its descriptors and its children are nobody's. Repeated until none matches, since they may start
// others before they die. A process that is unsure for a second is left alone, as one that does not
// match: anybody's may hang. Leaves this process alone. kDeadlineExceeded or kCancelled: at least
// one was left then. A limit of the machine's clock.
Status EndProcesses(const ProcReader& proc, const MatchProcess& match, const WaitLimit& limit);

}  // namespace hearth::agent
