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

// A peer's process: a descriptor of it (a pidfd) where one is to be had.
struct PeerProcess {
  UniqueFd pidfd;
  bool ended =
      false;  // has been seen to be over; else it may run, whether it can be watched or not
};

// Instead of a process' number: there is one that we cannot number, as in other PID namespaces.
inline constexpr pid_t kUnknownProcess = -1;

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
  // Ends whatever the session has here. A writer of a sealed layout whose process may run on is not
  // succeeded by another process for a while, or until that one's end is seen.
  void Leave(SessionId session, const Peer& peer, PeerProcess process);
  // The process that writes to what is sealed, or may still do so, perhaps kUnknownProcess; 0:
  // none.
  pid_t SealedWriter() const;
  // The same as it was with the predecessor: others wait for it here as they did there.
  void TakeOverSealedWriter(pid_t pid);
  // The peer asks for a lease: nothing of its own process stands in its way.
  void ReleaseQuarantineOf(const Peer& peer);

  std::optional<ListeningSocket> listener;

 private:
  struct Quarantine {
    SessionId former;
    pid_t pid = kUnknownProcess;
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
  // Puts the fence up until its deadline, and, with an owner, a pidfd and the process' number,
  // until that ends. As the fence says; kLimitReached when the owner cannot be watched. Then
  // nothing has changed.
  Result<CheckpointFence::State> PrepareFence(SteadyTime deadline, UniqueFd owner, int pid);
  // After every other call of the fence: its deadline, its owner, both domains.
  void SettleFence();

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
