#pragma once

#include "base/status.h"
#include "gms/server/internal/predecessor.h"
#include "gms/server/internal/server_state.h"

namespace hearth::gms::server {

// Whether we could listen at all our sockets if the predecessor went now: after it has gone there
// is no way back. Makes a socket in each folder for a moment; leaves everything as it is.
// kPermissionDenied where the folder is not ours to write to, or a path has something there that is
// not ours to remove; kConflict where somebody else listens; kInvalid for a path that is too long.
Status CheckRoomToServe(const ServerState& state, const Predecessor& predecessor);

}  // namespace hearth::gms::server
