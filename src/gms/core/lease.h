#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

namespace hearth::gms {

// A connection, as long as the server lives. Never used twice.
struct SessionId {
  uint64_t value = 0;

  friend auto operator<=>(const SessionId&, const SessionId&) = default;
};

// What a client asks for in its handshake. Wire names: rw, ro, rw_or_ro, rw_data_or_rw, rw_shadow.
enum class LeaseRequest : uint8_t {
  kRw,          // exclusive: waits until readers are gone, sees an empty layout
  kRo,          // shared: waits until something is committed
  kRwOrRo,      // writer when nothing is committed and nobody writes, else reader
  kRwDataOrRw,  // exclusive: adopts a sealed layout when one waits, else kRw
  kRwShadow,    // ours: writes beside the readers of what is committed, who keep it
};

// Waits until the readers are gone, and keeps later ones out while it waits.
inline bool IsPlainWriter(LeaseRequest request) {
  return request == LeaseRequest::kRw || request == LeaseRequest::kRwDataOrRw;
}

// What it holds then. Wire names: rw, ro, rw_data.
enum class Grant : uint8_t {
  kRw,      // may change shape and contents
  kRo,      // may import and read
  kRwData,  // the writer's place, but the shape is sealed
};

// What a domain looks like from outside. Wire names: EMPTY, RW, COMMITTED, LAYOUT_COMMITTED, RO.
enum class DomainState : uint8_t { kEmpty, kRw, kCommitted, kLayoutCommitted, kRo };

// A lease that was given.
struct Granted {
  SessionId session;
  Grant grant = Grant::kRo;
  uint64_t generation = 0;  // what the session sees from now on

  friend bool operator==(const Granted&, const Granted&) = default;
};

std::string_view WireName(LeaseRequest request);
std::string_view WireName(Grant grant);
std::string_view WireName(DomainState state);
// Nothing for a name that is none.
std::optional<LeaseRequest> LeaseRequestFromWire(std::string_view name);
std::optional<Grant> GrantFromWire(std::string_view name);

}  // namespace hearth::gms
