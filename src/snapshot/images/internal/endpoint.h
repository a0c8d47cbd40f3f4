#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "snapshot/images/wire/images.pb.h"

// Addresses of sockets in images.
namespace hearth::snapshot::images {

// An IPv6 address, or an IPv4 one as it is mapped into them, in network order.
using Ip = std::array<uint8_t, 16>;

bool IsV4(const Ip& ip);
std::optional<Ip> ParseIp(const std::string& text);
std::string TellIp(const Ip& ip);

struct Endpoint {
  Ip ip{};
  uint16_t port = 0;

  // "10.0.0.1:80", "[::1]:80"
  std::string Tell() const;
  friend auto operator<=>(const Endpoint&, const Endpoint&) = default;
};

// kDataLoss: of no known family, or without an address.
Result<Endpoint> LocalOf(const wire::InetSocket& socket);
Result<Endpoint> PeerOf(const wire::InetSocket& socket);
// Addresses that the socket's family cannot have are kInvalid.
Status SetLocal(wire::InetSocket& socket, const Endpoint& local);
Status SetPeer(wire::InetSocket& socket, const Endpoint& peer);

}  // namespace hearth::snapshot::images
