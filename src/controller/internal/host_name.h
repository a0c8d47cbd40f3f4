#pragma once

#include <string>

namespace hearth::controller::internal {

// In a pod the pod's name. "unknown" when the kernel does not tell.
std::string HostName();

}  // namespace hearth::controller::internal
