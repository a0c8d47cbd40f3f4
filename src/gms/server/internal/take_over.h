#pragma once

#include "base/status.h"
#include "base/wait_limit.h"
#include "gms/server/internal/predecessor.h"
#include "gms/server/internal/server_state.h"

namespace hearth::gms::server {

// The successor's side of a hand-over, before it serves anybody: asks the predecessor, adopts all
// memory, installs what was committed, and only then, and when there is room to serve it, has the
// other leave its sockets. That one has everything until it hears that we serve, and goes on after
// an error, or when we end before; one that dies when all is here is an error no more. Blocking.
Status TakeOver(ServerState& state, Predecessor& predecessor, const WaitLimit& limit);

// We listen: now it may end. One that has ended is fine.
void TellTaken(const ServerState& state, Predecessor& predecessor);

}  // namespace hearth::gms::server
