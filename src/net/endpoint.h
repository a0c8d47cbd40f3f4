#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace hearth::net {

// Where to connect or listen.
struct Endpoint {
  bool tls = false;
  std::string host;       // name or address, IPv6 without brackets; empty for a unix socket
  uint16_t port = 0;      // 0 when listening: any free one
  std::string unix_path;  // "unix:///run/x.sock"; a leading '@' is the abstract name space

  // http://host[:port], https://host[:port], unix:///path. A path behind host and port is handed
  // back in `path` ("" when none), or refused when `path` is null. kInvalid says what is wrong with
  // the URL.
  static Result<Endpoint> ParseUrl(std::string_view url, std::string* path = nullptr);

  bool IsUnix() const { return !unix_path.empty(); }
  // 127.0.0.0/8, ::1, localhost, or a unix socket.
  bool IsLoopback() const;
  std::string ToString() const;  // https://127.0.0.1:6443
  std::string HostHeader() const;
  friend bool operator==(const Endpoint&, const Endpoint&) = default;
};

}  // namespace hearth::net
