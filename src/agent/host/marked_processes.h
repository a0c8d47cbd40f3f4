#pragma once

#include <string>
#include <utility>

#include "base/status.h"
#include "base/wait_limit.h"

namespace hearth::agent {

// Who a program was started for: a variable in its environment, which it hands on to all that it
// starts. They may outlive both it and us, and hold nothing else that we know them by.
using ProcessMark = std::pair<std::string, std::string>;

// Kills all that have it, whatever they block, ignore or are stopped by, and waits for their end.
// Ok when none is left. Not found is who has written over its own environment, and who restores
// memory over it (EndRestored ends those). A limit of the machine's clock.
Status EndMarked(const ProcessMark& mark, const WaitLimit& limit);

}  // namespace hearth::agent
