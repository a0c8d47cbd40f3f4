#pragma once

#include <string>

#include "base/result.h"

namespace hearth::agent {

// Lets the processes of a cgroup run again that somebody who is gone has stopped. `directory` as
// FindFreezer tells it, of either hierarchy. One that is gone, or runs, is fine.
Status Thaw(const std::string& directory);

}  // namespace hearth::agent
