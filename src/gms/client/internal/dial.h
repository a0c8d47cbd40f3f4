#pragma once

#include <string>

#include "base/result.h"
#include "base/unique_fd.h"
#include "gms/client/internal/waiter.h"

namespace hearth::gms::internal {

// Connects to a Unix socket, waiting for it to appear: the folder is watched, not polled; only a
// socket that is there and refuses is tried again every few milliseconds, because nothing tells
// when somebody begins to listen. A deadline that has passed tries once. kInvalid for a path that
// no socket can have. kUnavailable with the last cause when the deadline passes, kCancelled when
// stopped.
Result<UniqueFd> Dial(const std::string& path, Waiter& waiter, SteadyTime deadline);

}  // namespace hearth::gms::internal
