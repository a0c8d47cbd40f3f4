#pragma once

#include <string>

#include "base/status.h"
#include "base/wait_limit.h"
#include "gms/server/internal/server_state.h"

namespace hearth::gms::server {

// The successor's side of a hand-over, before it serves anybody: asks the server behind the
// socket, adopts all memory, installs what was committed, and only then lets the other go.
// Blocking.
Status TakeOver(ServerState& state, const std::string& admin_path, const WaitLimit& limit);

}  // namespace hearth::gms::server
