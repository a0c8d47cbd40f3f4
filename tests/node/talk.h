#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"

namespace hearth::node {

// A TCP connection in the network namespace that `pid` is in; waits until somebody listens there.
Result<UniqueFd> ConnectIn(int pid, const std::string& address, uint16_t port);
// The same to a unix socket of this machine.
Result<UniqueFd> ConnectTo(const std::string& socket);

// Sends and reads on until the answer ends with `end`; with an empty one until the other end
// closes. kDeadlineExceeded when nothing comes for a minute.
Result<std::string> Exchange(const UniqueFd& connection, std::string_view text,
                             std::string_view end);

}  // namespace hearth::node
