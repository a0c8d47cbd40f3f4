#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>

#include "gms/core/domain.h"
#include "gms/core/fence.h"
#include "gms/server/internal/device_service.h"
#include "gms/server/internal/listening_socket.h"
#include "gms/server/internal/server_state.h"

namespace hearth::gms::server {

struct Peer;

// One domain and what its effects do: grants are answered, memory is given back, subscribers hear
// of events, waits end in time.
class DomainService {
 public:
  DomainService(ServerState& state, DeviceService& device, std::string tag);
  ~DomainService();
  DomainService(const DomainService&) = delete;
  DomainService& operator=(const DomainService&) = delete;

  Domain& domain() { return domain_; }
  DeviceService& device() { return device_; }
  const std::string& tag() const { return tag_; }

  // After every call of the domain that may have effects.
  void Settle();

  void Subscribe(SessionId session) { subscribers_.insert(session); }
  // Ends whatever the session has here. A writer of a sealed layout whose process (`process`, a
  // pidfd, may be none) runs on is not succeeded by another process for a while.
  void Leave(SessionId session, const Peer& peer, UniqueFd process);
  // The process that writes to what is sealed, or may still do so; 0: none.
  pid_t SealedWriter() const;
  // The same as it was with the predecessor: others wait for it here as they did there.
  void TakeOverSealedWriter(pid_t pid);
  // The peer asks for a lease: nothing of its own process stands in its way.
  void ReleaseQuarantineOf(const Peer& peer);

  std::optional<ListeningSocket> listener;

 private:
  struct Quarantine {
    SessionId former;
    pid_t pid = 0;
    UniqueFd process;
    uint64_t watch = 0;
    EpollLoop::TimerId timer;
  };
  void BeginQuarantine(SessionId former, pid_t pid, UniqueFd process);
  void EndQuarantine();
  void Announce(const Event& event);
  void ArmDeadline();

  ServerState& state_;
  DeviceService& device_;
  std::string tag_;
  Domain domain_;
  std::set<SessionId> subscribers_;
  std::optional<Quarantine> quarantine_;
  EpollLoop::TimerId deadline_;
};

// A device with both its domains and the fence around them.
class DeviceDomains {
 public:
  DeviceDomains(ServerState& state, DeviceSetup setup);
  ~DeviceDomains();

  DeviceService& device() { return device_; }
  DomainService& weights() { return weights_; }
  DomainService& kv_cache() { return kv_cache_; }
  CheckpointFence& fence() { return fence_; }
  // Null for a tag that is none.
  DomainService* Find(std::string_view tag);
  // After every call of the fence: its deadline, its owner (a pidfd, may be none), both domains.
  void SettleFence(UniqueFd owner);

 private:
  void StopWatchingOwner();

  ServerState& state_;
  DeviceService device_;
  DomainService weights_;
  DomainService kv_cache_;
  CheckpointFence fence_;
  UniqueFd owner_;
  uint64_t owner_watch_ = 0;
  EpollLoop::TimerId deadline_;
};

}  // namespace hearth::gms::server
