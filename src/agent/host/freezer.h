#pragma once

#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "base/wait_limit.h"

namespace hearth::agent {

// Stops the processes of a cgroup that runs, and returns when all of them stand. `directory` as
// FindFreezer tells it, of either hierarchy. False, and nothing is changed: there is none, it is
// stopped already, or not all of them could be stopped within the limit.
Result<bool> Freeze(const std::string& directory, const WaitLimit& limit, Clock& clock);

// Lets the processes of a cgroup run again that somebody who is gone has stopped. `directory` as
// FindFreezer tells it, of either hierarchy. One that is gone, or runs, is fine.
Status Thaw(const std::string& directory);

}  // namespace hearth::agent
