#pragma once

#include <deque>
#include <span>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"
#include "gms/protocol/limits.h"

// Bytes and descriptors over a connected Unix stream socket. Nothing here blocks or changes the
// socket's flags, whatever they are: the socket may be shared. A descriptor comes with the first
// byte of the call that sent it, so that descriptors arrive in the order of the messages they
// belong to; who reads counts them off.
namespace hearth::gms {

struct Transferred {
  size_t bytes = 0;
  bool would_block = false;  // nothing went; poll for it
  bool ended = false;        // received only: the peer has closed its side
  bool refused_fds = false;  // received only: descriptors came that nobody asked for; none is open
};

// Sends what goes now. Descriptors travel with the first byte: when any byte went they all did. At
// most kMaxFds. kUnavailable: the peer is gone. kExhausted: the kernel has too many descriptors on
// their way; later.
Result<Transferred> SendSome(int socket, std::string_view bytes, std::span<const UniqueFd> fds);
// The same for descriptors that others own.
Result<Transferred> SendNumbers(int socket, std::string_view bytes, std::span<const int> fds);

// Receives what is there, descriptors (close-on-exec) behind those already in `fds`. kDataLoss when
// the kernel could not deliver them all; those that came are closed.
Result<Transferred> ReceiveSome(int socket, std::span<char> into, std::deque<UniqueFd>& fds);

// The same for whoever takes no descriptors: the kernel discards them.
Result<Transferred> ReceiveBytes(int socket, std::span<char> into);

}  // namespace hearth::gms
