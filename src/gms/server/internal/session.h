#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gms/protocol/codec.h"
#include "gms/protocol/errors.h"
#include "gms/server/internal/connection.h"
#include "gms/server/internal/domain_service.h"

namespace hearth::gms::server {

// A connection to a domain's socket and what it may do by now: its first message decides whether it
// asks for a lease, subscribes, or wants one answer. The lease lives as long as the connection.
// Requests are answered in order, one at a time. On the loop only.
class Session : public std::enable_shared_from_this<Session> {
 public:
  // `ended` is called once, after the lease is given back; it destroys the session.
  Session(SessionId id, ServerState& state, DeviceDomains& device, DomainService& domain,
          UniqueFd socket, Peer peer, std::function<void()> ended);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // What the domain tells.
  void OnGranted(const Granted& granted);
  void OnTimedOut();
  void OnFenced();
  void OnEvent(const Event& event);
  // Everything stands still: no request is taken, nor waited for in vain.
  void SetPaused(bool paused);

  // ---- For whoever answers requests (requests.h).
  template <typename M>
  void Reply(const M& message, std::vector<LentFd> fds = {}) {
    connection_.Send(EncodeFrame(message), std::move(fds));
  }
  void Fail(const Status& status);
  // The answer comes later; the next request waits for it.
  void BeginWork() { connection_.SetBusy(true); }
  void EndWork() { connection_.SetBusy(false); }
  // The last answer was sent.
  void Finish() { connection_.FinishAndClose(); }
  void End() { connection_.CloseNow(); }

  SessionId id() const { return id_; }
  ServerState& state() { return state_; }
  DeviceDomains& device() { return device_; }
  DomainService& service() { return domain_; }
  Domain& domain() { return domain_.domain(); }
  Connection& connection() { return connection_; }
  const Peer& peer() const { return connection_.peer(); }
  bool extended() const { return extension_ > 0; }
  const std::string& client() const { return client_; }
  SteadyTime since() const { return since_; }
  Duration waited() const { return waited_; }

  // Without a pidfd its end has been seen, or cannot be.
  PeerProcess OpenPeerProcess() const;

 private:
  enum class Stage : uint8_t { kNew, kWaiting, kHolding, kSubscribed, kOver };

  void LimitHandshake();
  void OnFrame(std::string_view payload);
  void OnGone(const Status& why);
  void Handshake(const Document& document);
  Status CheckHandshake(const HandshakeRequest& request) const;
  void Subscribe(const Document& document);
  // Answers with an error and closes.
  void Refuse(const Status& status);
  void FirstFrame(const Document& document);
  void LaterFrame(const Document& document);

  SessionId id_;
  ServerState& state_;
  DeviceDomains& device_;
  DomainService& domain_;
  std::function<void()> ended_;
  Stage stage_ = Stage::kNew;
  int64_t extension_ = 0;
  std::string client_;
  SteadyTime since_;
  Duration waited_ = Duration::zero();
  EpollLoop::TimerId handshake_deadline_;
  Connection connection_;
};

}  // namespace hearth::gms::server
