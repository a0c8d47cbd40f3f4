#pragma once

#include "base/result.h"
#include "base/unique_fd.h"

namespace hearth::agent {

// A descriptor of another process, with the rights that it has there and no more: opened anew, a
// file that the other could only read would be ours to write, and what is restored would get it.
// Only what leads out of a container: a pipe, a socket or a device such as a terminal.
// kPermissionDenied: it is something else. kNotFound: it has none of that number.
Result<UniqueFd> TakeDescriptor(int pidfd, int number);

}  // namespace hearth::agent
