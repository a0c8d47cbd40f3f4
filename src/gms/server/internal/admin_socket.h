#pragma once

#include <string>

#include "base/wait_limit.h"
#include "gms/device/device.h"
#include "gms/server/internal/listening_socket.h"
#include "gms/server/internal/server_state.h"

// Several servers may share a folder, each with devices or tags of its own. The first of them has
// the administration's usual name, the others have names made of what they serve.
namespace hearth::gms::server {

// Where one domain is served.
std::string DomainPath(const ServerOptions& options, const DeviceFacts& device,
                       const std::string& tag);

// To be called when all domains are bound: whoever answers at one of the names serves others then.
// kConflict when all names are taken.
Result<ListeningSocket> BindAdminSocket(const ServerState& state);

// The administration of the server that has our domains now. Ours alone is looked for; others in
// the folder are left in peace. Without any server it is the usual name, where one may yet come.
// kNotFound when there are servers and none has a domain of ours, kConflict when several have.
Result<std::string> FindPredecessor(const ServerState& state, const WaitLimit& limit);

}  // namespace hearth::gms::server
