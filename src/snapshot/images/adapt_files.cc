#include "snapshot/images/adapt_files.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/sha256.h"
#include "snapshot/images/framing.h"
#include "snapshot/images/internal/endpoint.h"
#include "snapshot/images/wire/images.pb.h"

namespace hearth::snapshot::images {
namespace {

// Kinds of open files, as far as they are looked into; and the last that CRIU has.
constexpr int kInet = 4, kUnix = 5, kTimer = 17, kLastKind = 20;
// States of sockets, as the kernel numbers them.
constexpr uint32_t kClosed = 7, kListens = 10;

constexpr std::string_view kCudaName("\0cuda-uvmfd-", 12);
constexpr std::string_view kOurName("\0dynamo-", 8);

struct Entry {
  wire::File file;
  bool changed = false;
};

bool IsTcp(const Entry& entry) {
  return entry.file.type() == kInet && entry.file.inet().protocol() == IPPROTO_TCP;
}
bool IsConnection(const Entry& entry) { return IsTcp(entry) && entry.file.inet().peer_port() != 0; }

Result<Entry> ReadEntry(std::string_view bytes, size_t number) {
  Entry entry;
  const wire::File& file = entry.file;
  if (!entry.file.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return DataLossError(fmt::format("entry {} is no message of CRIU", number));
  }
  if (file.type() < 1 || file.type() > kLastKind) {
    return Status(Code::kUnsupported,
                  fmt::format("entry {} is an open file of kind {}, which is not known here: what "
                              "captured it is newer than what restores",
                              number, file.type()));
  }
  if ((file.type() == kInet && !file.has_inet()) ||
      (file.type() == kUnix && !file.has_unix_socket()) ||
      (file.type() == kTimer && !file.has_timer())) {
    return DataLossError(
        fmt::format("entry {} has not what its kind ({}) says", number, file.type()));
  }
  return entry;
}

// A captured connection, as one of its ends has it.
struct Connection {
  uint32_t network = 0;
  Endpoint local;
  Endpoint peer;

  Connection Reverse() const { return {network, peer, local}; }
  friend bool operator<(const Connection& a, const Connection& b) {
    return std::tie(a.network, a.local, a.peer) < std::tie(b.network, b.local, b.peer);
  }
};

class Adaptation {
 public:
  Adaptation(std::vector<Entry>& entries, const NewPlace& place)
      : entries_(entries), place_(place) {}

  Status Do() {
    for (Entry& entry : entries_) {
      NameCuda(entry);
      KeepTimerGoing(entry);
    }
    RETURN_IF_ERROR(FindConnections());
    for (Entry& entry : entries_) {
      if (IsConnection(entry)) {
        RETURN_IF_ERROR(place_.connections ? AdaptConnection(entry) : Drop(entry));
      }
    }
    return MoveAddresses();
  }

  std::vector<DroppedConnection> TakeDropped() { return std::move(dropped_); }
  size_t moved_ports() const { return moved_.size(); }

 private:
  void NameCuda(Entry& entry) const {
    const wire::UnixSocket& socket = entry.file.unix_socket();
    if (entry.file.type() != kUnix || socket.type() != SOCK_SEQPACKET ||
        socket.state() != kListens || !socket.name().starts_with(kCudaName)) {
      return;
    }
    std::string hashed;
    for (int shift = 56; shift >= 0; shift -= 8) {
      hashed += static_cast<char>(place_.mount_namespace >> static_cast<unsigned>(shift));
    }
    hashed += socket.name();
    entry.file.mutable_unix_socket()->set_name(std::string(kOurName) + Sha256Hex(hashed));
    entry.changed = true;
  }

  // The kernel starts the next period when an expiration is read, and says until then that no time
  // is left; CRIU takes that for a timer which was stopped.
  static void KeepTimerGoing(Entry& entry) {
    const wire::Timer& timer = entry.file.timer();
    const bool periodic = timer.interval_seconds() != 0 || timer.interval_nanoseconds() != 0;
    const bool stopped = timer.next_seconds() == 0 && timer.next_nanoseconds() == 0;
    if (entry.file.type() == kTimer && periodic && stopped && timer.expirations() > 0) {
      entry.file.mutable_timer()->set_next_seconds(timer.interval_seconds());
      entry.file.mutable_timer()->set_next_nanoseconds(timer.interval_nanoseconds());
      entry.changed = true;
    }
  }

  static Result<Connection> ConnectionOf(const Entry& entry) {
    const wire::InetSocket& socket = entry.file.inet();
    ASSIGN_OR_RETURN(const Endpoint local, LocalOf(socket));
    ASSIGN_OR_RETURN(const Endpoint peer, PeerOf(socket));
    return Connection{socket.network(), local, peer};
  }

  Status FindConnections() {
    for (const Entry& entry : entries_) {
      if (entry.file.type() != kInet) {
        continue;
      }
      ASSIGN_OR_RETURN(const Connection socket, ConnectionOf(entry));
      taken_.insert({socket.local.port, socket.peer.port});
      if (IsConnection(entry)) {
        connections_.insert(socket);
      } else if (IsTcp(entry) && entry.file.inet().state() == kListens) {
        AddListener(entry.file.inet(), socket);
      }
    }
    return Status::Ok();
  }

  // One for all IPv6 addresses takes IPv4 connections as well, unless it was told not to.
  void AddListener(const wire::InetSocket& socket, const Connection& at) {
    const bool all = at.local.ip == Ip{};
    const bool v4 = IsV4(at.local.ip);
    if (v4 || (socket.family() == AF_INET6 && all && !socket.only_v6())) {
      listened_.emplace(at.network, true, at.local.port);
    }
    if (!v4) {
      listened_.emplace(at.network, false, at.local.port);
    }
  }

  Status AdaptConnection(Entry& entry) {
    ASSIGN_OR_RETURN(const Connection connection, ConnectionOf(entry));
    if (connections_.count(connection.Reverse()) == 0) {
      return Drop(entry);
    }
    ASSIGN_OR_RETURN(const uint16_t local, PortFor(connection.network, connection.local));
    ASSIGN_OR_RETURN(const uint16_t peer, PortFor(connection.network, connection.peer));
    entry.changed = entry.changed || local != connection.local.port || peer != connection.peer.port;
    entry.file.mutable_inet()->set_source_port(local);
    entry.file.mutable_inet()->set_peer_port(peer);
    return Status::Ok();
  }

  // Both ends ask and get the same.
  Result<uint16_t> PortFor(uint32_t network, const Endpoint& endpoint) {
    const Port port{network, IsV4(endpoint.ip), endpoint.port};
    if (listened_.count(port) != 0) {
      return endpoint.port;
    }
    if (const auto known = moved_.find(port); known != moved_.end()) {
      return known->second;
    }
    ASSIGN_OR_RETURN(const uint16_t fresh, place_.reserve_port(taken_));
    taken_.insert(fresh);
    moved_.emplace(port, fresh);
    return fresh;
  }

  Status Drop(Entry& entry) {
    ASSIGN_OR_RETURN(const Connection connection, ConnectionOf(entry));
    dropped_.push_back({connection.local.Tell(), connection.peer.Tell()});
    if (!place_.connections) {
      return Status::Ok();
    }
    wire::InetSocket& socket = *entry.file.mutable_inet();
    socket.set_state(kClosed);
    entry.changed = true;
    RETURN_IF_ERROR(SetLocal(socket, Endpoint()));
    return SetPeer(socket, Endpoint());
  }

  Status MoveAddresses() {
    if (!place_.connections) {
      return Status::Ok();
    }
    ASSIGN_OR_RETURN(const std::vector<Ip> from, ParseAll(place_.source_ips));
    ASSIGN_OR_RETURN(const std::vector<Ip> to, ParseAll(place_.target_ips));
    if (from.empty() || to.empty()) {
      return Status::Ok();
    }
    for (Entry& entry : entries_) {
      RETURN_IF_ERROR(entry.file.type() == kInet ? Move(entry, from, to) : Status::Ok());
    }
    return Status::Ok();
  }

  static Result<std::vector<Ip>> ParseAll(const std::vector<std::string>& texts) {
    std::vector<Ip> addresses;
    for (const std::string& text : texts) {
      const auto address = ParseIp(text);
      if (!address) {
        return InvalidError(fmt::format("'{}' is no address of a pod", text));
      }
      addresses.push_back(*address);
    }
    return addresses;
  }

  static Status Move(Entry& entry, const std::vector<Ip>& from, const std::vector<Ip>& to) {
    wire::InetSocket& socket = *entry.file.mutable_inet();
    ASSIGN_OR_RETURN(Endpoint local, LocalOf(socket));
    ASSIGN_OR_RETURN(Endpoint peer, PeerOf(socket));
    const std::pair<Ip, Ip> before{local.ip, peer.ip};
    for (Ip* const ip : {&local.ip, &peer.ip}) {
      if (std::find(from.begin(), from.end(), *ip) == from.end()) {
        continue;
      }
      const auto counterpart = std::find_if(
          to.begin(), to.end(), [ip](const Ip& other) { return IsV4(other) == IsV4(*ip); });
      if (counterpart == to.end()) {
        return Status(Code::kUnsupported,
                      fmt::format("a socket at {} cannot come to {}: restore into a pod whose "
                                  "address is of the same family",
                                  local.Tell(), TellIp(to.front())));
      }
      *ip = *counterpart;
    }
    if (before == std::pair(local.ip, peer.ip)) {
      return Status::Ok();
    }
    entry.changed = true;
    RETURN_IF_ERROR(SetLocal(socket, local));
    return SetPeer(socket, peer);
  }

  // Network namespace, whether of IPv4, number.
  using Port = std::tuple<uint32_t, bool, uint16_t>;

  std::vector<Entry>& entries_;
  const NewPlace& place_;
  std::set<Connection> connections_;
  std::set<Port> listened_;
  std::set<uint16_t> taken_;
  std::map<Port, uint16_t> moved_;
  std::vector<DroppedConnection> dropped_;
};

}  // namespace

Result<AdaptedFiles> AdaptFiles(std::string_view image, const NewPlace& place) {
  ASSIGN_OR_RETURN(std::vector<std::string_view> bytes, SplitImage(image, Magic::kFiles));
  std::vector<Entry> entries;
  entries.reserve(bytes.size());
  for (const std::string_view entry : bytes) {
    ASSIGN_OR_RETURN(Entry read, ReadEntry(entry, entries.size()));
    entries.push_back(std::move(read));
  }
  Adaptation adaptation(entries, place);
  RETURN_IF_ERROR(adaptation.Do());
  // Only what changed is written anew; members that are not known here go with it.
  std::vector<std::string> rewritten;
  rewritten.reserve(entries.size());
  for (size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].changed) {
      bytes[i] = rewritten.emplace_back(entries[i].file.SerializeAsString());
    }
  }
  AdaptedFiles adapted{.dropped = adaptation.TakeDropped(),
                       .moved_ports = adaptation.moved_ports()};
  if (!rewritten.empty()) {
    adapted.image = JoinImage(Magic::kFiles, bytes);
  }
  return adapted;
}

}  // namespace hearth::snapshot::images
