#include "snapshot/images/internal/endpoint.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>

namespace hearth::snapshot::images {
namespace {

using Words = google::protobuf::RepeatedField<uint32_t>;

constexpr std::array<uint8_t, 12> kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
constexpr size_t kWord = sizeof(uint32_t);

Result<Endpoint> Read(uint32_t family, const Words& words, uint32_t port) {
  Endpoint endpoint{.port = static_cast<uint16_t>(port)};
  const bool v4 = family == AF_INET && words.size() >= 1;
  if (port > UINT16_MAX || (!v4 && !(family == AF_INET6 && words.size() == 4))) {
    return DataLossError(fmt::format("a socket of family {} has an address of {} words and port {}",
                                     family, words.size(), port));
  }
  if (v4) {
    std::copy(kMapped.begin(), kMapped.end(), endpoint.ip.begin());
    std::memcpy(endpoint.ip.data() + kMapped.size(), words.data(), kWord);
  } else {
    std::memcpy(endpoint.ip.data(), words.data(), endpoint.ip.size());
  }
  return endpoint;
}

// As many words as there were.
Status Write(uint32_t family, const Ip& ip, Words& words) {
  if (family != AF_INET) {
    std::memcpy(words.mutable_data(), ip.data(), ip.size());
    return Status::Ok();
  }
  const bool none = std::all_of(ip.begin(), ip.end(), [](uint8_t byte) { return byte == 0; });
  if (!none && !IsV4(ip)) {
    return InvalidError(fmt::format("an IPv4 socket cannot have the address {}", TellIp(ip)));
  }
  std::memcpy(words.mutable_data(), ip.data() + kMapped.size(), kWord);
  return Status::Ok();
}

}  // namespace

bool IsV4(const Ip& ip) { return std::equal(kMapped.begin(), kMapped.end(), ip.begin()); }

std::optional<Ip> ParseIp(const std::string& text) {
  Ip ip{};
  if (::inet_pton(AF_INET6, text.c_str(), ip.data()) == 1) {
    return ip;
  }
  std::copy(kMapped.begin(), kMapped.end(), ip.begin());
  return ::inet_pton(AF_INET, text.c_str(), ip.data() + kMapped.size()) == 1 ? std::optional(ip)
                                                                             : std::nullopt;
}

std::string TellIp(const Ip& ip) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const size_t skipped = IsV4(ip) ? kMapped.size() : 0;
  ::inet_ntop(IsV4(ip) ? AF_INET : AF_INET6, ip.data() + skipped, text.data(), text.size());
  return text.data();
}

std::string Endpoint::Tell() const {
  return IsV4(ip) ? fmt::format("{}:{}", TellIp(ip), port)
                  : fmt::format("[{}]:{}", TellIp(ip), port);
}

Result<Endpoint> LocalOf(const wire::InetSocket& socket) {
  return Read(socket.family(), socket.source_address(), socket.source_port());
}

Result<Endpoint> PeerOf(const wire::InetSocket& socket) {
  return Read(socket.family(), socket.peer_address(), socket.peer_port());
}

Status SetLocal(wire::InetSocket& socket, const Endpoint& local) {
  socket.set_source_port(local.port);
  return Write(socket.family(), local.ip, *socket.mutable_source_address());
}

Status SetPeer(wire::InetSocket& socket, const Endpoint& peer) {
  socket.set_peer_port(peer.port);
  return Write(socket.family(), peer.ip, *socket.mutable_peer_address());
}

}  // namespace hearth::snapshot::images
