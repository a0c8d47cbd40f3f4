#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <string>

#include "base/result.h"

namespace hearth::net {

// A socket address of any family.
struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
  int family() const { return storage.ss_family; }
  uint16_t port() const;         // 0 for a unix socket
  std::string ToString() const;  // 127.0.0.1:80, [::1]:80, unix
};

// Null family (size 0) when `host` is a name and not a number.
Address NumericAddress(const std::string& host, uint16_t port);
// kInvalid when the path does not fit. A leading '@' is the abstract name space.
Result<Address> UnixAddress(const std::string& path);

}  // namespace hearth::net
