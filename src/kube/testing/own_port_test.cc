#include "kube/testing/own_port.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <fstream>
#include <set>
#include <vector>

#include "base/testing/status_matchers.h"

namespace hearth::kube {
namespace {

int Listen(uint16_t port, UniqueFd& socket) {
  socket = UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  if (::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    return -1;
  }
  return ::listen(socket.get(), 1);
}

TEST(OwnPort, CanBeListenedOnAndIsNobodyElses) {
  std::vector<OwnPort> ports;
  std::set<uint16_t> numbers;
  for (int i = 0; i < 50; ++i) {
    ASSERT_OK_AND_ASSIGN(OwnPort port, OwnPort::Take());
    EXPECT_TRUE(numbers.insert(port.number()).second) << port.number();
    ports.push_back(std::move(port));
  }
  UniqueFd server;
  EXPECT_EQ(Listen(ports.front().number(), server), 0);
}

// As a server needs that is stopped for a while: those who want any port must not get this one.
TEST(OwnPort, IsNoneThatTheKernelGivesAway) {
  uint32_t low = 0;
  uint32_t high = 0;
  ASSERT_TRUE(std::ifstream("/proc/sys/net/ipv4/ip_local_port_range") >> low >> high);
  for (int i = 0; i < 50; ++i) {
    ASSERT_OK_AND_ASSIGN(const OwnPort port, OwnPort::Take());
    EXPECT_TRUE(port.number() < low || port.number() > high) << port.number();
  }
}

}  // namespace
}  // namespace hearth::kube
