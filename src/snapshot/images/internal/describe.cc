#include "snapshot/images/internal/describe.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>

#include "base/strings.h"

namespace hearth::snapshot::images {
namespace {

constexpr size_t kMaxName = 256;

// TCP's states; other sockets use the first and the seventh.
std::string StateName(uint32_t state) {
  constexpr std::array<std::string_view, 13> kNames = {
      "unconnected", "established", "syn-sent", "syn-received", "fin-wait-1",
      "fin-wait-2",  "time-wait",   "closed",   "close-wait",   "last-ack",
      "listen",      "closing",     "new-syn"};
  return state < kNames.size() ? std::string(kNames[state]) : std::to_string(state);
}

std::string TypeName(uint32_t type) {
  switch (type) {
    case SOCK_STREAM:
      return "stream";
    case SOCK_DGRAM:
      return "dgram";
    case SOCK_SEQPACKET:
      return "seqpacket";
    default:
      return std::to_string(type);
  }
}

std::string ProtocolName(const wire::InetSocket& socket) {
  const std::string_view version = socket.family() == AF_INET6 ? "6" : "";
  switch (socket.protocol()) {
    case IPPROTO_TCP:
      return fmt::format("tcp{}", version);
    case IPPROTO_UDP:
      return fmt::format("udp{}", version);
    default:
      return fmt::format("ip{}/{}", version, socket.protocol());
  }
}

// Empty when the words are no address.
template <typename Words>
std::string Address(uint32_t family, const Words& words) {
  std::array<uint32_t, 4> raw{};
  const int needed = family == AF_INET6 ? 4 : 1;
  if (words.size() < needed) {
    return "";
  }
  for (int i = 0; i < needed; ++i) {
    raw[static_cast<size_t>(i)] = words.Get(i);
  }
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (::inet_ntop(family == AF_INET6 ? AF_INET6 : AF_INET, raw.data(), text.data(), text.size()) ==
      nullptr) {
    return "";
  }
  return family == AF_INET6 ? fmt::format("[{}]", text.data()) : std::string(text.data());
}

}  // namespace

InetSocket DescribeInet(const wire::InetSocket& socket) {
  InetSocket inet{.protocol = ProtocolName(socket),
                  .state = StateName(socket.state()),
                  .local = fmt::format("{}:{}", Address(socket.family(), socket.source_address()),
                                       socket.source_port()),
                  .peer = ""};
  if (socket.peer_port() != 0) {
    inet.peer =
        fmt::format("{}:{}", Address(socket.family(), socket.peer_address()), socket.peer_port());
  }
  return inet;
}

UnixSocket DescribeUnix(const wire::UnixSocket& socket) {
  std::string_view name = socket.name();
  const bool abstract = name.starts_with('\0') && name.size() > 1;
  name = abstract ? name.substr(1) : name;
  name = name.substr(0, abstract ? name.size() : name.find('\0'));
  return {.type = TypeName(socket.type()),
          // A unix socket that is not connected is "closed" to the kernel.
          .state = socket.state() == 7 ? "unconnected" : StateName(socket.state()),
          .name = (abstract ? "@" : "") + Excerpt(name, kMaxName),
          .inode = socket.inode(),
          .peer = socket.peer()};
}

std::string MountTypeName(const wire::Mount& mount) {
  constexpr std::array<std::string_view, 24> kNames = {
      "",       "proc",   "sysfs",      "devtmpfs", "binfmt_misc", "tmpfs",   "devpts",
      "simfs",  "pstore", "securityfs", "fusectl",  "debugfs",     "cgroup",  "aufs",
      "mqueue", "fuse",   "auto",       "overlay",  "autofs",      "tracefs", "",
      "",       "",       "cgroup2"};
  if (!mount.type_name().empty()) {
    return Excerpt(mount.type_name(), kMaxName);
  }
  return mount.type() < kNames.size() ? std::string(kNames[mount.type()]) : "";
}

}  // namespace hearth::snapshot::images
