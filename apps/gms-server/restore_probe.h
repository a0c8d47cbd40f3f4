#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace hearth::gms::server {

// Whether a reader is let in to the weights now: of each of these devices, or, when none is named,
// of all that the servers of the folder have. Then every server must answer, and whatever has the
// name of a socket for weights: one that died has left it behind. The servers say which devices
// they have, so that no driver is needed to ask. kUnavailable names what is not ready.
Status ProbeRestoreReady(const std::string& directory, const std::vector<int>& devices);

}  // namespace hearth::gms::server
