#pragma once

#include <string_view>

#include "agent/host/control_directory.h"
#include "base/wait_limit.h"

namespace hearth::agent {

// Until a file of that name is in the directory. Told by the kernel, not polled.
Status AwaitFile(const ControlDirectory& directory, std::string_view name, const WaitLimit& limit);

}  // namespace hearth::agent
