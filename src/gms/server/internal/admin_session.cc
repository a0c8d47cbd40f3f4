#include "gms/server/internal/admin_session.h"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "gms/server/internal/hand_over.h"
#include "gms/server/internal/session.h"

namespace hearth::gms::server {
namespace {

int64_t Milliseconds(Duration duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

SessionItem DescribePlace(ServerState& state, const Domain::Place& place, SteadyTime now) {
  SessionItem item{.session = place.session.value,
                   .request = std::string(WireName(place.request)),
                   .grant = place.grant ? std::string(WireName(*place.grant)) : "",
                   .generation = place.generation,
                   .age_ms = Milliseconds(now - place.since)};
  if (const auto it = state.sessions.find(place.session); it != state.sessions.end()) {
    const Session& session = *it->second;
    item.pid = session.peer().pid;
    item.uid = session.peer().uid;
    item.client = session.client();
    item.waited_ms = place.grant ? Milliseconds(session.waited()) : item.age_ms;
  }
  return item;
}

DomainItem DescribeDomain(ServerState& state, DeviceDomains& device, DomainService& service) {
  const Domain::Facts facts = service.domain().Look();
  const DeviceFacts& of_device = device.device().facts();
  DomainItem item{.device = of_device.ordinal,
                  .gpu_uuid = of_device.uuid,
                  .device_kind = of_device.kind,
                  .domain = service.tag(),
                  .socket = service.listener ? service.listener->path() : "",
                  .state = std::string(WireName(facts.state)),
                  .memory_layout_hash = facts.hash,
                  .generation = facts.generation,
                  .generations = facts.generations,
                  .allocation_count = static_cast<int64_t>(facts.allocations),
                  .bytes = static_cast<int64_t>(facts.bytes),
                  .kept_bytes = static_cast<int64_t>(facts.kept_bytes),
                  .device_free_bytes = static_cast<int64_t>(device.device().free_bytes()),
                  .device_total_bytes = static_cast<int64_t>(of_device.total_bytes),
                  .fence = device.fence().state().ready ? "checkpoint_ready" : "serving"};
  const SteadyTime now = RealClock().Now();
  for (const Domain::Place& place : service.domain().Places()) {
    item.sessions.push_back(DescribePlace(state, place, now));
  }
  return item;
}

}  // namespace

StatusResponse DescribeServer(ServerState& state) {
  StatusResponse response{.version = state.options.version,
                          .nonce = state.nonce,
                          .pid = ::getpid(),
                          .uptime_ms = Milliseconds(RealClock().Now() - state.started)};
  for (const auto& device : state.devices) {
    for (DomainService* service : {&device->weights(), &device->kv_cache()}) {
      if (service->listener) {
        response.domains.push_back(DescribeDomain(state, *device, *service));
      }
    }
  }
  return response;
}

AdminSession::AdminSession(ServerState& state, UniqueFd socket, Peer peer,
                           std::function<void()> ended)
    : state_(state),
      ended_(std::move(ended)),
      connection_(state.loop, state.traffic, state.unfinished, std::move(socket), peer,
                  {.frame = [this](std::string_view payload) { OnFrame(payload); },
                   .gone =
                       [this](const Status&) {
                         const auto over = std::move(ended_);
                         over();
                       }},
                  state.options.connection) {}

AdminSession::~AdminSession() = default;

void AdminSession::OnFrame(std::string_view payload) {
  const auto document = Document::Parse(payload);
  const Status status = document.ok() ? Answer(*document) : document.status();
  if (status.ok()) {
    return;
  }
  Reply(ToErrorResponse(status));
  if (status.Is(Code::kDataLoss)) {
    connection_.FinishAndClose();
  }
}

Status AdminSession::Evict(const Document& document) {
  ASSIGN_OR_RETURN(const auto request, document.As<EvictRequest>());
  const auto it = state_.sessions.find(SessionId{request.session});
  const bool found = it != state_.sessions.end();
  if (found) {
    state_.log.Warning("session evicted",
                       {{"session", request.session},
                        {"by_pid", static_cast<int64_t>(connection_.peer().pid)},
                        {"by_uid", static_cast<int64_t>(connection_.peer().uid)}});
    ++state_.metrics.evictions;
    it->second->End();
  }
  Reply(EvictResponse{found});
  return Status::Ok();
}

Status AdminSession::Answer(const Document& document) {
  if (document.Is<StatusRequest>()) {
    Reply(DescribeServer(state_));
  } else if (document.Is<MetricsRequest>()) {
    Reply(MetricsResponse{state_.metrics.Expose(state_)});
  } else if (document.Is<EvictRequest>()) {
    return Evict(document);
  } else if (document.Is<HandOverRequest>()) {
    ASSIGN_OR_RETURN(hand_over_, HandOver::Begin(state_, connection_));
  } else if (document.Is<HandOverDoneRequest>() && hand_over_ != nullptr) {
    return hand_over_->Done();
  } else if (document.Is<HandOverTakenNotice>() && hand_over_ != nullptr) {
    return hand_over_->Taken();
  } else {
    return MakeError(ErrorCode::kUnknownMessage,
                     fmt::format("no request of type {} here", document.type().substr(0, 64)));
  }
  return Status::Ok();
}

}  // namespace hearth::gms::server
