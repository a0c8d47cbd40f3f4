#pragma once

#include <string>
#include <utility>

#include "base/status.h"
#include "base/wait_limit.h"

namespace hearth::agent {

// Who a program was started for: a variable in its environment, which it hands on to all that it
// starts. They may outlive both it and us, and hold nothing else that we know them by.
using ProcessMark = std::pair<std::string, std::string>;

// Kills all that have it. Ok when none is there any more, and none is in the middle of anything: a
// process that is killed ends what it has asked the kernel for first. A limit of the machine's
// clock.
Status EndMarked(const ProcessMark& mark, const WaitLimit& limit);

}  // namespace hearth::agent
