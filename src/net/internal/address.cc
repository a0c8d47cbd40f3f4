#include "net/internal/address.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <cstddef>
#include <cstring>

namespace hearth::net {
namespace {

template <typename T>
T As(const Address& address) {
  T typed;
  std::memcpy(&typed, &address.storage, sizeof(typed));
  return typed;
}

template <typename T>
Address From(const T& typed) {
  Address address;
  std::memcpy(&address.storage, &typed, sizeof(typed));
  address.size = sizeof(typed);
  return address;
}

}  // namespace

uint16_t Address::port() const {
  switch (family()) {
    case AF_INET:
      return ntohs(As<sockaddr_in>(*this).sin_port);
    case AF_INET6:
      return ntohs(As<sockaddr_in6>(*this).sin6_port);
    default:
      return 0;
  }
}

std::string Address::ToString() const {
  char text[INET6_ADDRSTRLEN] = "";
  if (family() == AF_INET) {
    const auto v4 = As<sockaddr_in>(*this);
    return fmt::format("{}:{}", inet_ntop(AF_INET, &v4.sin_addr, text, sizeof(text)), port());
  }
  if (family() == AF_INET6) {
    const auto v6 = As<sockaddr_in6>(*this);
    return fmt::format("[{}]:{}", inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof(text)), port());
  }
  return "unix";
}

Address NumericAddress(const std::string& host, uint16_t port) {
  sockaddr_in v4{};
  if (inet_pton(AF_INET, host.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    return From(v4);
  }
  sockaddr_in6 v6{};
  if (inet_pton(AF_INET6, host.c_str(), &v6.sin6_addr) == 1) {
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    return From(v6);
  }
  return {};
}

Result<Address> UnixAddress(const std::string& path) {
  sockaddr_un address{};
  if (path.empty() || path.size() >= sizeof(address.sun_path)) {
    return InvalidError(fmt::format("unix socket path \"{}\" must have 1 to {} bytes", path,
                                    sizeof(address.sun_path) - 1));
  }
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  Address result = From(address);
  if (path[0] == '@') {
    address.sun_path[0] = '\0';
    result = From(address);
    // An abstract name ends where the size says.
    result.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
  }
  return result;
}

}  // namespace hearth::net
