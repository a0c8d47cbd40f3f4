#include "gms/server/internal/session.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "gms/server/internal/first_messages.h"
#include "gms/server/internal/requests.h"

// Since Linux 6.5; older headers do not have it.
#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

namespace hearth::gms::server {
namespace {

// Longer waits are for ever.
constexpr int64_t kLongestWaitMs = 1'000LL * 3600 * 24 * 365;
// A subscriber that is further behind begins anew.
constexpr size_t kMostUnsentNotices = 1024;

SteadyTime WaitDeadline(SteadyTime now, std::optional<int64_t> timeout_ms) {
  if (!timeout_ms || *timeout_ms > kLongestWaitMs) {
    return SteadyTime::max();
  }
  return now + std::chrono::milliseconds(std::max<int64_t>(*timeout_ms, 0));
}

ChangeNotice ToNotice(const Event& event) {
  return {
      .sequence = event.sequence,
      .kind = std::string(WireName(event.kind)),
      .allocation_count = static_cast<int64_t>(event.allocation_count),
      .generation = event.generation,
      .at_ms = std::chrono::duration_cast<std::chrono::milliseconds>(event.at.time_since_epoch())
                   .count()};
}

}  // namespace

Session::Session(SessionId id, ServerState& state, DeviceDomains& device, DomainService& domain,
                 UniqueFd socket, Peer peer, std::function<void()> ended)
    : id_(id),
      state_(state),
      device_(device),
      domain_(domain),
      ended_(std::move(ended)),
      since_(RealClock().Now()),
      connection_(state.loop, state.traffic, state.unfinished, std::move(socket), peer,
                  {.frame = [this](std::string_view payload) { OnFrame(payload); },
                   .gone = [this](const Status& why) { OnGone(why); }},
                  state.options.connection) {
  LimitHandshake();
}

Session::~Session() { state_.loop.Cancel(handshake_deadline_); }

void Session::LimitHandshake() {
  const SteadyTime limit = RealClock().Now() + state_.options.handshake_timeout;
  handshake_deadline_ = state_.loop.At(
      limit, [this] { Refuse(MakeError(ErrorCode::kTimedOut, "no request came in time")); });
}

void Session::SetPaused(bool paused) {
  state_.loop.Cancel(handshake_deadline_);
  if (!paused && stage_ == Stage::kNew) {
    LimitHandshake();
  }
  connection_.SetPaused(paused);
}

void Session::OnFrame(std::string_view payload) {
  const auto document = Document::Parse(payload);
  if (!document.ok()) {
    return Refuse(document.status());
  }
  if (stage_ == Stage::kNew) {
    state_.loop.Cancel(handshake_deadline_);
    return FirstFrame(*document);
  }
  LaterFrame(*document);
}

void Session::FirstFrame(const Document& document) {
  if (document.Is<HandshakeRequest>()) {
    return Handshake(document);
  }
  if (document.Is<SubscribeRequest>()) {
    return Subscribe(document);
  }
  const Status status = AnswerOnce(*this, document);
  if (!status.ok()) {
    return Refuse(status);
  }
  stage_ = Stage::kOver;
  Finish();
}

void Session::LaterFrame(const Document& document) {
  const SteadyTime begin = RealClock().Now();
  const Status status = AnswerRequest(*this, document);
  state_.metrics.Request(document.type(),
                         std::chrono::duration<double>(RealClock().Now() - begin).count());
  if (status.Is(Code::kDataLoss)) {
    Refuse(status);
  } else if (!status.ok()) {
    Fail(status);
  }
}

Status Session::CheckHandshake(const HandshakeRequest& request) const {
  const auto type = LeaseRequestFromWire(request.lock_type);
  if (!type || (*type == LeaseRequest::kRwShadow && request.extension < 1)) {
    return MakeError(ErrorCode::kUnsupported,
                     fmt::format("unsupported GMS lock type {}", request.lock_type.substr(0, 64)));
  }
  const bool other_server =
      !request.expected_nonce.empty() && request.expected_nonce != state_.nonce;
  const bool other_device = !request.expected_gpu_uuid.empty() &&
                            request.expected_gpu_uuid != domain_.device().facts().uuid;
  if (other_server || other_device) {
    return MakeError(ErrorCode::kOtherServer, "GMS server incarnation or physical GPU changed");
  }
  return Status::Ok();
}

void Session::Handshake(const Document& document) {
  auto request = document.As<HandshakeRequest>();
  if (!request.ok()) {
    return Refuse(request.status());
  }
  if (const Status status = CheckHandshake(*request); !status.ok()) {
    return Refuse(status);
  }
  extension_ = std::clamp<int64_t>(request->extension, 0, kExtensionVersion);
  if (extended()) {
    connection_.RefuseFds();
  }
  connection_.TakeLargeRequests();
  client_ = request->client.substr(0, 256);
  stage_ = Stage::kWaiting;
  BeginWork();
  domain_.ReleaseQuarantineOf(peer());
  const SteadyTime now = RealClock().Now();
  domain().Request(id_, *LeaseRequestFromWire(request->lock_type), now,
                   WaitDeadline(now, request->timeout_ms));
  domain_.Settle();
}

void Session::OnGranted(const Granted& granted) {
  stage_ = Stage::kHolding;
  waited_ = RealClock().Now() - since_;
  HandshakeResponse response{.success = true,
                             .committed = granted.grant == Grant::kRo,
                             .granted_lock_type = std::string(WireName(granted.grant))};
  if (extended()) {
    const DeviceFacts& facts = domain_.device().facts();
    response.extension = extension_;
    response.nonce = state_.nonce;
    response.gpu_uuid = facts.uuid;
    response.device_kind = facts.kind;
    response.generation = granted.generation;
    response.granularity = facts.granularity;
  }
  state_.metrics.Granted(WireName(granted.grant), std::chrono::duration<double>(waited_).count());
  state_.log.Info("lease granted", {{"session", id_.value},
                                    {"domain", domain_.tag()},
                                    {"device", domain_.device().facts().ordinal},
                                    {"grant", WireName(granted.grant)},
                                    {"generation", granted.generation},
                                    {"pid", static_cast<int64_t>(peer().pid)},
                                    {"client", client_}});
  Reply(response);
  EndWork();
}

void Session::OnTimedOut() {
  stage_ = Stage::kOver;
  Reply(HandshakeResponse{.extension = extension_});
  Finish();
}

void Session::OnFenced() {
  Refuse(MakeError(ErrorCode::kFenced, "GMS admission is fenced for checkpoint"));
}

void Session::Subscribe(const Document& document) {
  auto request = document.As<SubscribeRequest>();
  if (!request.ok()) {
    return Refuse(request.status());
  }
  stage_ = Stage::kSubscribed;
  const EventRing& ring = domain().events();
  Reply(SubscribeResponse{ring.last_sequence()});
  for (const Event& event : ring.events()) {
    if (event.sequence > request->after) {
      Reply(ToNotice(event));
    }
  }
  domain_.Subscribe(id_);
}

void Session::OnEvent(const Event& event) {
  if (connection_.unsent_frames() > kMostUnsentNotices) {
    return End();
  }
  Reply(ToNotice(event));
}

void Session::Fail(const Status& status) {
  state_.metrics.Error(ReasonOf(ErrorCodeOf(status)));
  state_.log.Debug("request refused", {{"session", id_.value}, {"why", status.ToString()}});
  Reply(ToErrorResponse(status));
}

void Session::Refuse(const Status& status) {
  Fail(status);
  stage_ = Stage::kOver;
  Finish();
}

void Session::OnGone(const Status& why) {
  if (why.Is(Code::kDeadlineExceeded) || why.Is(Code::kExhausted)) {
    state_.log.Warning("session given up", {{"session", id_.value},
                                            {"pid", static_cast<int64_t>(peer().pid)},
                                            {"client", client_},
                                            {"why", why.message()}});
  } else {
    state_.log.Debug("session ended", {{"session", id_.value}, {"why", why.ToString()}});
  }
  // Only who sealed a layout is asked after.
  const bool sealed = domain().GrantOf(id_) == Grant::kRwData;
  domain_.Leave(id_, peer(), sealed ? OpenPeerProcess() : PeerProcess());
  const auto ended = std::move(ended_);
  ended();
}

PeerProcess Session::OpenPeerProcess() const {
  int fd = -1;
  socklen_t size = sizeof(fd);
  if (::getsockopt(connection_.fd(), SOL_SOCKET, SO_PEERPIDFD, &fd, &size) == 0) {
    return {.pidfd = UniqueFd(fd)};
  }
  if (errno == EINVAL || errno == ESRCH) {  // as the kernel says of one that is over
    return {.ended = true};
  }
  if (connection_.peer().pid <= 0) {
    return {};
  }
  fd = static_cast<int>(::syscall(SYS_pidfd_open, connection_.peer().pid, 0));
  return {.pidfd = UniqueFd(fd), .ended = fd < 0 && errno == ESRCH};
}

}  // namespace hearth::gms::server
