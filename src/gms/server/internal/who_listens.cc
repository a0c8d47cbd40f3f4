#include "gms/server/internal/who_listens.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>

#include "gms/protocol/socket_path.h"

namespace hearth::gms::server {
namespace {

bool SaysThatNobodyIsThere(int error) {
  return error == ENOENT || error == ECONNREFUSED || error == ENOTDIR || error == ELOOP;
}

}  // namespace

std::optional<Listener> WhoListens(const std::string& path) {
  if (!CheckSocketPath(path).ok()) {
    return std::nullopt;
  }
  const UniqueFd probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!probe.valid()) {
    return Listener{.certain = false};
  }
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  if (::connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    const int error = errno;
    return SaysThatNobodyIsThere(error) ? std::nullopt
                                        : std::optional(Listener{.certain = error == EAGAIN});
  }
  const auto peer = PeerOf(probe.get());
  return Listener{.process = peer.ok() ? std::optional(*peer) : std::nullopt};
}

}  // namespace hearth::gms::server
