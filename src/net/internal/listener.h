#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "base/unique_fd.h"
#include "net/endpoint.h"
#include "net/internal/address.h"

namespace hearth::net {

// A listening socket, non-blocking. A unix socket's file goes with it, if it is still the one made
// here. Not thread-safe.
class Listener {
 public:
  // kInvalid: not an address to listen on. kAlreadyExists: somebody else listens there, or the path
  // is not a socket. A socket file nobody listens on any more is replaced; at no time is it open to
  // more than `unix_mode` says.
  static Result<std::unique_ptr<Listener>> Open(const Endpoint& endpoint, uint32_t unix_mode);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // What is really listened on.
  const Endpoint& endpoint() const { return endpoint_; }
  int fd() const { return fd_.get(); }
  // An invalid fd: nothing to accept now (errno says whether that is all).
  UniqueFd Accept(Address* peer);

 private:
  Listener(UniqueFd fd, Endpoint endpoint) : fd_(std::move(fd)), endpoint_(std::move(endpoint)) {}
  void RememberFile();

  UniqueFd fd_;
  Endpoint endpoint_;
  uint64_t device_ = 0;
  uint64_t inode_ = 0;
};

}  // namespace hearth::net
