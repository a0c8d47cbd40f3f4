#include "pod_network.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/ipv6.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <functional>
#include <thread>
#include <utility>

namespace hearth::node {
namespace {

// A namespace is a thread's: what happens in another one does so on a thread that ends then.
Status OnThread(const std::function<Status()>& work) {
  Status status;
  std::thread([&] { status = work(); }).join();
  return status;
}

std::string PathOf(const UniqueFd& network) {
  return fmt::format("/proc/{}/fd/{}", ::getpid(), network.get());
}

Status BringUp() {
  const UniqueFd fd(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  std::strncpy(request.ifr_name, "lo", sizeof(request.ifr_name) - 1);
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  return ::ioctl(fd.get(), SIOCSIFFLAGS, &request) == 0 ? Status::Ok()
                                                        : Status::FromErrno(errno, "lo");
}

Status AddV4(const std::string& address, size_t number) {
  const UniqueFd fd(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  fmt::format("lo:{}", number).copy(request.ifr_name, sizeof(request.ifr_name) - 1);
  auto& name = reinterpret_cast<sockaddr_in&>(request.ifr_addr);
  name.sin_family = AF_INET;
  ::inet_pton(AF_INET, address.c_str(), &name.sin_addr);
  return ::ioctl(fd.get(), SIOCSIFADDR, &request) == 0 ? Status::Ok()
                                                       : Status::FromErrno(errno, address);
}

Status AddV6(const std::string& address) {
  const UniqueFd fd(::socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  in6_ifreq request{};
  ::inet_pton(AF_INET6, address.c_str(), &request.ifr6_addr);
  request.ifr6_prefixlen = 128;
  request.ifr6_ifindex = static_cast<int>(::if_nametoindex("lo"));
  return ::ioctl(fd.get(), SIOCSIFADDR, &request) == 0 ? Status::Ok()
                                                       : Status::FromErrno(errno, address);
}

Status AddAll(const std::vector<std::string>& addresses) {
  for (size_t i = 0; i < addresses.size(); ++i) {
    const bool v6 = addresses[i].find(':') != std::string::npos;
    RETURN_IF_ERROR(v6 ? AddV6(addresses[i]) : AddV4(addresses[i], i));
  }
  return Status::Ok();
}

}  // namespace

Result<PodNetwork> PodNetwork::Make(const std::vector<std::string>& addresses) {
  UniqueFd network;
  RETURN_IF_ERROR(OnThread([&]() -> Status {
    if (::unshare(CLONE_NEWNET) != 0) {
      return Status::FromErrno(errno, "a network namespace");
    }
    network = UniqueFd(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
    RETURN_IF_ERROR(BringUp());
    return AddAll(addresses);
  }));
  ASSIGN_OR_RETURN(ChildProcess keeper,
                   ChildProcess::Start({.argv = {"nsenter", "--net=" + PathOf(network), "--",
                                                 "sleep", "infinity"}}));
  return PodNetwork(std::move(network), std::move(keeper));
}

std::string PodNetwork::path() const { return PathOf(network_); }

Result<UniqueFd> PodNetwork::Listen(const std::string& address) const {
  UniqueFd listener;
  RETURN_IF_ERROR(OnThread([&]() -> Status {
    sockaddr_in name{};
    name.sin_family = AF_INET;
    ::inet_pton(AF_INET, address.c_str(), &name.sin_addr);
    if (::setns(network_.get(), CLONE_NEWNET) != 0) {
      return Status::FromErrno(errno, "enter the pod's network");
    }
    listener = UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    return ::bind(listener.get(), reinterpret_cast<const sockaddr*>(&name), sizeof(name)) == 0 &&
                   ::listen(listener.get(), 16) == 0
               ? Status::Ok()
               : Status::FromErrno(errno, address);
  }));
  return listener;
}

uint16_t PortOf(const UniqueFd& socket) {
  sockaddr_in6 name{};  // the port is where sockaddr_in has it
  socklen_t size = sizeof(name);
  ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&name), &size);
  return ntohs(name.sin6_port);
}

}  // namespace hearth::node
