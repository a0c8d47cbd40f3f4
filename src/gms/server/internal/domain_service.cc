#include "gms/server/internal/domain_service.h"

#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <utility>

#include "gms/protocol/errors.h"
#include "gms/protocol/socket_path.h"
#include "gms/server/internal/connection.h"
#include "gms/server/internal/session.h"

namespace hearth::gms::server {
namespace {

// The kernel says 0 for a process that we do not see.
pid_t NumberOf(const Peer& peer) { return peer.pid > 0 ? peer.pid : kUnknownProcess; }

}  // namespace

DomainService::DomainService(ServerState& state, DeviceService& device, std::string tag)
    : state_(state), device_(device), tag_(std::move(tag)), domain_(state.options.domain) {
  domain_.events().SetClock(RealClock());
  domain_.events().SetListener([this](const Event& event) { Announce(event); });
}

DomainService::~DomainService() {
  EndQuarantine();
  state_.loop.Cancel(deadline_);
}

void DomainService::Settle() {
  for (Domain::Effects effects = domain_.TakeEffects(); !effects.empty();
       effects = domain_.TakeEffects()) {
    const auto tell = [this](SessionId id, auto what) {
      if (const auto it = state_.sessions.find(id); it != state_.sessions.end()) {
        what(*it->second);
      }
    };
    for (const Granted& granted : effects.granted) {
      tell(granted.session, [&](Session& session) { session.OnGranted(granted); });
    }
    for (const SessionId id : effects.timed_out) {
      tell(id, [](Session& session) { session.OnTimedOut(); });
    }
    for (const SessionId id : effects.fenced) {
      tell(id, [](Session& session) { session.OnFenced(); });
    }
    device_.Release(std::move(effects.released));
  }
  ArmDeadline();
}

void DomainService::ArmDeadline() {
  const SteadyTime next = domain_.NextDeadline();
  if (deadline_.number != 0 && deadline_.at == next) {
    return;
  }
  state_.loop.Cancel(deadline_);
  if (next != SteadyTime::max()) {
    deadline_ = state_.loop.At(next, [this] {
      deadline_ = {};
      domain_.Expire(RealClock().Now());
      Settle();
    });
  }
}

void DomainService::Announce(const Event& event) {
  for (const SessionId id : subscribers_) {
    if (const auto it = state_.sessions.find(id); it != state_.sessions.end()) {
      it->second->OnEvent(event);
    }
  }
}

void DomainService::Leave(SessionId session, const Peer& peer, PeerProcess process) {
  subscribers_.erase(session);
  const bool sealed = domain_.GrantOf(session) == Grant::kRwData;
  if (sealed && !process.ended) {
    BeginQuarantine(session, NumberOf(peer), std::move(process.pidfd));
  }
  domain_.Leave(session);
  Settle();
}

// Without a process to watch, it is the time alone that ends it.
void DomainService::BeginQuarantine(SessionId former, pid_t pid, UniqueFd process) {
  if (state_.options.adopt_quarantine <= Duration::zero()) {
    return;
  }
  EndQuarantine();
  domain_.HoldAdoption(former);
  // Clang does not see yet within the class that it can be made of nothing.
  Quarantine& held = quarantine_.emplace(Quarantine{});
  held.former = former;
  held.pid = pid;
  held.process = std::move(process);
  if (held.process.valid()) {
    held.watch =
        state_.loop.Watch(held.process.get(), EPOLLIN, [this](uint32_t) { EndQuarantine(); });
  }
  held.timer = state_.loop.At(RealClock().Now() + state_.options.adopt_quarantine,
                              [this] { EndQuarantine(); });
}

pid_t DomainService::SealedWriter() const {
  for (const auto& [id, session] : state_.sessions) {
    if (&session->service() == this && domain_.GrantOf(id) == Grant::kRwData) {
      return NumberOf(session->peer());
    }
  }
  return quarantine_ ? quarantine_->pid : 0;
}

void DomainService::TakeOverSealedWriter(pid_t pid) {
  // No session has this number.
  UniqueFd process(pid > 0 ? static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)) : -1);
  BeginQuarantine(SessionId{}, pid, std::move(process));
}

void DomainService::ReleaseQuarantineOf(const Peer& peer) {
  if (quarantine_ && quarantine_->pid == peer.pid && peer.pid > 0) {
    EndQuarantine();
  }
}

void DomainService::EndQuarantine() {
  if (!quarantine_) {
    return;
  }
  state_.loop.Unwatch(quarantine_->watch);
  state_.loop.Cancel(quarantine_->timer);
  const SessionId former = quarantine_->former;
  quarantine_.reset();
  domain_.ReleaseAdoption(former);
  Settle();
}

DeviceDomains::DeviceDomains(ServerState& state, DeviceSetup setup)
    : state_(state),
      device_(state.loop, std::move(setup), state.options.alloc_retry_interval),
      weights_(state, device_, std::string(kWeightsTag)),
      kv_cache_(state, device_, std::string(kKvCacheTag)),
      fence_(weights_.domain(), kv_cache_.domain()) {}

DeviceDomains::~DeviceDomains() {
  StopWatchingOwner();
  state_.loop.Cancel(deadline_);
}

DomainService* DeviceDomains::Find(std::string_view tag) {
  if (tag == weights_.tag()) {
    return &weights_;
  }
  return tag == kv_cache_.tag() ? &kv_cache_ : nullptr;
}

void DeviceDomains::StopWatchingOwner() {
  state_.loop.Unwatch(std::exchange(owner_watch_, 0));
  owner_.reset();
}

Result<CheckpointFence::State> DeviceDomains::PrepareFence(SteadyTime deadline, UniqueFd owner,
                                                           int pid) {
  uint64_t watch = 0;
  if (owner.valid()) {
    // Before the fence is up: nobody would notice the owner's end, and it would be up for ever.
    watch = state_.loop.Watch(owner.get(), EPOLLIN, [this](uint32_t) {
      fence_.OwnerGone(fence_.owner());
      SettleFence();
    });
    if (watch == 0) {
      return MakeError(ErrorCode::kLimitReached,
                       "the process that asks cannot be watched now: ask with deadline_ms instead "
                       "of bound_to_peer");
    }
  }
  auto state = fence_.Prepare(NewUuid(), deadline, owner.valid() ? pid : 0);
  if (!state.ok()) {
    state_.loop.Unwatch(watch);
    return state;
  }
  StopWatchingOwner();
  owner_ = std::move(owner);
  owner_watch_ = watch;
  SettleFence();
  return state;
}

void DeviceDomains::SettleFence() {
  weights_.Settle();
  kv_cache_.Settle();
  state_.loop.Cancel(deadline_);
  if (!fence_.state().ready) {
    return StopWatchingOwner();
  }
  if (fence_.deadline() != SteadyTime::max()) {
    deadline_ = state_.loop.At(fence_.deadline(), [this] {
      deadline_ = {};
      fence_.Expire(RealClock().Now());
      SettleFence();
    });
  }
}

}  // namespace hearth::gms::server
