#pragma once

#include <functional>
#include <string>

#include "agent/criu/worker.h"
#include "agent/restore/plan.h"
#include "base/clock.h"
#include "base/result.h"
#include "base/wait_limit.h"

namespace hearth::agent {

struct Restored {
  int pid = 0;  // in the container's pid namespace
  Duration files{};
  Duration prepare{};
  Duration criu{};
};

// The part of a restore that happens within the container's namespaces: puts the changed files in
// their places, makes room, runs CRIU, and leaves everything else as it was. `bundle` and `images`
// are directories as seen from there. `may_run` is asked when all is restored and nothing of it has
// run yet; an error undoes it and is the answer. On other failures the message has CRIU's cause.
Result<Restored> RestoreInContainer(const RestorePlan& plan, const std::string& bundle,
                                    const std::string& images,
                                    const std::function<Status()>& may_run, int held,
                                    const WaitLimit& limit);

}  // namespace hearth::agent
