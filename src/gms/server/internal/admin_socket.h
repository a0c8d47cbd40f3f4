#pragma once

#include <map>
#include <string>
#include <vector>

#include "gms/device/device.h"
#include "gms/server/internal/listening_socket.h"
#include "gms/server/internal/server_state.h"

// Several servers may share a folder, each with devices or tags of its own. The first of them has
// the administration's usual name, the others have names made of what they serve.
namespace hearth::gms::server {

// Where one domain is served.
std::string DomainPath(const ServerOptions& options, const DeviceFacts& device,
                       const std::string& tag);

// Where all are served. Paths by file names, as the folder may have another path where another
// server runs.
std::map<std::string, std::string> OwnDomains(const ServerState& state);

// To be called when all domains are bound: whoever answers at one of the names serves others then.
// A name that is refused, as another user's dead server left it, or that cannot be, is passed over
// as well. Those that we left behind ourselves are removed. kConflict when there is none left.
Result<ListeningSocket> BindAdminSocket(const ServerState& state, FolderLocks& locks);

// Whether BindAdminSocket would find a name when the server behind `leaves` has gone.
Status CheckAdminSocket(const ServerState& state, const std::string& leaves);

// Those of all servers that may have our domains.
std::vector<std::string> AdminSocketsToAsk(const ServerOptions& options);

}  // namespace hearth::gms::server
