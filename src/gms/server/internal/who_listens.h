#pragma once

#include <optional>
#include <string>

#include "gms/server/internal/connection.h"

namespace hearth::gms::server {

struct Listener {
  // Nothing when it is so busy that its queue is full, or not certain.
  std::optional<Peer> process = std::nullopt;
  // Else it could not be asked, as when the socket is another user's: whether anybody is there is
  // not known.
  bool certain = true;
};

// Who listens at a Unix socket, by connecting to it; nothing only when nobody does for certain.
std::optional<Listener> WhoListens(const std::string& path);

}  // namespace hearth::gms::server
