#include "talk.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <thread>

#include "base/clock.h"

namespace hearth::node {
namespace {

constexpr Duration kLongEnough = std::chrono::minutes(1);

Result<UniqueFd> Once(int family, const sockaddr* address, socklen_t size) {
  UniqueFd fd(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd.valid() || ::connect(fd.get(), address, size) != 0) {
    return Status::FromErrno(errno, "connect");
  }
  return fd;
}

// Programs tell nobody that they are up.
template <typename Try>
Result<UniqueFd> Again(Try attempt) {
  const SteadyTime deadline = RealClock().Now() + kLongEnough;
  Result<UniqueFd> connected = attempt();
  while (!connected.ok() && RealClock().Now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    connected = attempt();
  }
  return connected;
}

Result<UniqueFd> ConnectHere(const std::string& address, uint16_t port) {
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_port = htons(port);
  if (::inet_pton(AF_INET, address.c_str(), &v4.sin_addr) == 1) {
    return Once(AF_INET, reinterpret_cast<const sockaddr*>(&v4), sizeof(v4));
  }
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(port);
  if (::inet_pton(AF_INET6, address.c_str(), &v6.sin6_addr) != 1) {
    return InvalidError(address + " is no address");
  }
  return Once(AF_INET6, reinterpret_cast<const sockaddr*>(&v6), sizeof(v6));
}

}  // namespace

Result<UniqueFd> ConnectIn(int pid, const std::string& address, uint16_t port) {
  Result<UniqueFd> connected = UnavailableError("not tried");
  // Only this thread goes there.
  std::thread([&] {
    const UniqueFd network(
        ::open(fmt::format("/proc/{}/ns/net", pid).c_str(), O_RDONLY | O_CLOEXEC));
    if (!network.valid() || ::setns(network.get(), CLONE_NEWNET) != 0) {
      connected = Status::FromErrno(errno, fmt::format("the network of process {}", pid));
      return;
    }
    connected = Again([&] { return ConnectHere(address, port); });
  }).join();
  return connected;
}

Result<UniqueFd> ConnectTo(const std::string& socket) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  socket.copy(address.sun_path, sizeof(address.sun_path) - 1);
  return Again(
      [&] { return Once(AF_UNIX, reinterpret_cast<const sockaddr*>(&address), sizeof(address)); });
}

Result<std::string> Exchange(const UniqueFd& connection, std::string_view text,
                             std::string_view end) {
  // Who is asked nothing may have answered and closed already.
  if (!text.empty() && ::send(connection.get(), text.data(), text.size(), MSG_NOSIGNAL) !=
                           static_cast<ssize_t>(text.size())) {
    return Status::FromErrno(errno, "send");
  }
  std::string answer;
  while (end.empty() || !answer.ends_with(end)) {
    pollfd ready{connection.get(), POLLIN, 0};
    if (::poll(&ready, 1, static_cast<int>(kLongEnough / std::chrono::milliseconds(1))) != 1) {
      return Status(Code::kDeadlineExceeded, "no answer to " + std::string(text));
    }
    std::array<char, 4096> buffer{};
    const ssize_t got = ::read(connection.get(), buffer.data(), buffer.size());
    if (got < 0) {
      return Status::FromErrno(errno, "read");
    }
    if (got == 0) {
      return end.empty() ? Result<std::string>(answer)
                         : UnavailableError("it closed after: " + answer);
    }
    answer.append(buffer.data(), static_cast<size_t>(got));
  }
  return answer;
}

}  // namespace hearth::node
