#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/wait_limit.h"
#include "gms/protocol/message_channel.h"
#include "gms/server/internal/connection.h"
#include "gms/server/internal/server_state.h"

namespace hearth::gms::server {

// The server whose place we take, known by what it serves and by its process.
struct Predecessor {
  std::string admin;                // the administration's socket
  Peer process;                     // as the kernel tells
  std::vector<std::string> serves;  // by file names
  // Processes have the same numbers there as here, as far as we can tell.
  bool same_numbers = false;
  MessageChannel channel;  // over which it said what it serves: nobody else is asked to go
};

// The server that has our domains now. Ours alone is looked for; others in the folder are left in
// peace, whatever they do. Waits for one while the folder has none, or while somebody listens at
// our sockets who does not yet answer at the administration's.
// kCancelled when told to stop. kNotFound when there are servers and none has a domain of ours.
// kUnavailable when there is none. kPermissionDenied when it is neither our user's nor root's.
// kConflict when several have, when a socket of ours belongs to another process or user than its
// administration, or when our number's link leads to another server: we could not serve after it
// has gone. kInvalid when it serves more than we do: that would be lost with it.
Result<Predecessor> FindPredecessor(const ServerState& state, const WaitLimit& limit);

// A socket of ours that somebody listens at, or may listen at; nothing when nobody does.
std::optional<std::string> SomebodyAtOurSockets(const ServerState& state);

}  // namespace hearth::gms::server
