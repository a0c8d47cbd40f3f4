#include "kube/testing/own_port.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <string>

#include "base/random.h"

namespace hearth::kube {
namespace {

constexpr int kTries = 1000;
constexpr uint32_t kLowest = 10000;
constexpr uint32_t kFewest = 1000;  // to choose from
constexpr uint32_t kEnd = 65536;

struct PortRange {
  uint32_t first = 0;
  uint32_t end = 0;
};

// Below the kernel's own range, or above it where that leaves little.
PortRange Choosable() {
  uint32_t low = 32768;
  uint32_t high = 60999;
  std::ifstream("/proc/sys/net/ipv4/ip_local_port_range") >> low >> high;
  if (low >= kLowest + kFewest) {
    return {kLowest, low};
  }
  return high + kFewest < kEnd ? PortRange{high + 1, kEnd} : PortRange{kLowest, kEnd};
}

// Abstract, so that it goes with its holder, however that ends.
UniqueFd TakeName(uint16_t port) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = fmt::format("hearth-test-port-{}", port);
  std::copy(name.begin(), name.end(), address.sun_path + 1);
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  UniqueFd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const bool taken =
      socket.valid() && ::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), size) == 0;
  return taken ? std::move(socket) : UniqueFd();
}

bool NobodyListens(uint16_t port) {
  const UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return ::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
}

}  // namespace

Result<OwnPort> OwnPort::Take() {
  Random random = Random::Seeded();
  const PortRange range = Choosable();
  for (int i = 0; i < kTries; ++i) {
    const auto port = static_cast<uint16_t>(range.first + random.Below(range.end - range.first));
    UniqueFd name = TakeName(port);
    if (name.valid() && NobodyListens(port)) {
      return OwnPort(std::move(name), port);
    }
  }
  return ExhaustedError(
      fmt::format("no free TCP port between {} and {} on loopback", range.first, range.end - 1));
}

}  // namespace hearth::kube
