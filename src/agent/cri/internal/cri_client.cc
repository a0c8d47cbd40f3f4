#include "agent/cri/internal/cri_client.h"

#include <fmt/format.h>

#include <utility>

#include "agent/cri/internal/event_stream.h"
#include "agent/cri/wire/containerd_events.grpc.pb.h"
#include "agent/cri/wire/cri.grpc.pb.h"
#include "agent/rpc/call.h"

namespace hearth::agent::internal {
namespace {

namespace cri = runtime::v1;
namespace native = containerd::services::events::v1;
using Phase = ContainerState::Phase;
using Kind = ContainerEvent::Kind;

Phase PhaseOf(cri::ContainerState state) {
  switch (state) {
    case cri::CONTAINER_CREATED:
      return Phase::kCreated;
    case cri::CONTAINER_RUNNING:
      return Phase::kRunning;
    case cri::CONTAINER_EXITED:
      return Phase::kExited;
    default:
      return Phase::kUnknown;
  }
}

std::map<std::string, std::string> Copy(const auto& map) { return {map.begin(), map.end()}; }

std::optional<ContainerEvent> EventOf(const cri::ContainerEventResponse& told) {
  switch (told.container_event_type()) {
    case cri::CONTAINER_CREATED_EVENT:
      return ContainerEvent{Kind::kCreated, told.container_id()};
    case cri::CONTAINER_STARTED_EVENT:
      return ContainerEvent{Kind::kStarted, told.container_id()};
    case cri::CONTAINER_STOPPED_EVENT:
      return ContainerEvent{Kind::kStopped, told.container_id()};
    case cri::CONTAINER_DELETED_EVENT:
      return ContainerEvent{Kind::kRemoved, told.container_id()};
    default:
      return std::nullopt;
  }
}

std::optional<ContainerEvent> EventOf(const native::Envelope& told) {
  native::TaskExit task;
  if (!task.ParseFromString(told.event().value())) {
    return std::nullopt;
  }
  if (told.topic() == "/tasks/start") {
    return ContainerEvent{Kind::kStarted, task.container_id()};
  }
  // Programs that were run in a container beside its first end as well.
  if (told.topic() == "/tasks/exit" && task.id() == task.container_id()) {
    return ContainerEvent{Kind::kStopped, task.container_id()};
  }
  return std::nullopt;
}

}  // namespace

struct CriClient::Wire {
  Wire(const CriOptions& options, Clock& clock)
      : server(options.socket, clock, options.connect_timeout),
        runtime(server.channel()),
        events(server.channel()) {}
  rpc::UnixServer server;
  cri::RuntimeService::Stub runtime;
  native::Events::Stub events;
};

CriClient::CriClient(CriOptions options, Clock& clock)
    : options_(std::move(options)), clock_(clock), wire_(std::make_unique<Wire>(options_, clock)) {}

CriClient::~CriClient() = default;

std::string CriClient::What(const char* call, const std::string& id) const {
  return id.empty() ? fmt::format("container runtime at {}: {}", options_.socket, call)
                    : fmt::format("container runtime at {}: {} of {}", options_.socket, call, id);
}

Result<CriVersion> CriClient::Version(const WaitLimit& limit) {
  wire_->server.AwaitConnection(limit);
  rpc::Call call(limit, options_.call_timeout, clock_);
  cri::VersionRequest request;
  request.set_version("v1");
  cri::VersionResponse answer;
  RETURN_IF_ERROR(
      call.Outcome(wire_->runtime.Version(&call.context(), request, &answer), What("version")));
  return CriVersion{answer.runtime_name(), answer.runtime_version()};
}

Result<std::vector<CriContainer>> CriClient::List(const std::map<std::string, std::string>& labels,
                                                  const WaitLimit& limit) {
  wire_->server.AwaitConnection(limit);
  rpc::Call call(limit, options_.call_timeout, clock_);
  cri::ListContainersRequest request;
  request.mutable_filter()->mutable_label_selector()->insert(labels.begin(), labels.end());
  cri::ListContainersResponse answer;
  RETURN_IF_ERROR(call.Outcome(wire_->runtime.ListContainers(&call.context(), request, &answer),
                               What("list of containers")));
  std::vector<CriContainer> containers;
  for (const cri::Container& listed : answer.containers()) {
    containers.push_back({.id = listed.id(),
                          .name = listed.metadata().name(),
                          .state = {.phase = PhaseOf(listed.state())},
                          .created_at = listed.created_at(),
                          .labels = Copy(listed.labels())});
  }
  return containers;
}

Result<CriStatus> CriClient::Status(const std::string& id, bool verbose, const WaitLimit& limit) {
  wire_->server.AwaitConnection(limit);
  rpc::Call call(limit, options_.call_timeout, clock_);
  cri::ContainerStatusRequest request;
  request.set_container_id(id);
  request.set_verbose(verbose);
  cri::ContainerStatusResponse answer;
  RETURN_IF_ERROR(call.Outcome(wire_->runtime.ContainerStatus(&call.context(), request, &answer),
                               What("status", id)));
  const cri::ContainerStatus& status = answer.status();
  return CriStatus{.container = {.id = status.id(),
                                 .name = status.metadata().name(),
                                 .state = {.phase = PhaseOf(status.state()),
                                           .exit_code = status.exit_code(),
                                           .reason = status.reason()},
                                 .labels = Copy(status.labels())},
                   .image = status.image().image(),
                   .image_reference = status.image_ref(),
                   .log_path = status.log_path(),
                   .info = Copy(answer.info())};
}

Status CriClient::Stop(const std::string& id, Duration grace, const WaitLimit& limit) {
  wire_->server.AwaitConnection(limit);
  rpc::Call call(limit, grace + options_.call_timeout, clock_);
  cri::StopContainerRequest request;
  request.set_container_id(id);
  request.set_timeout(std::chrono::ceil<std::chrono::seconds>(grace).count());
  cri::StopContainerResponse answer;
  return call.Outcome(wire_->runtime.StopContainer(&call.context(), request, &answer),
                      What("stop", id));
}

std::unique_ptr<ContainerEvents> CriClient::CriEvents() {
  return std::make_unique<EventStream<cri::ContainerEventResponse>>(
      [this](grpc::ClientContext* context, grpc::CompletionQueue* queue) {
        return wire_->runtime.PrepareAsyncGetContainerEvents(context, {}, queue);
      },
      [](const cri::ContainerEventResponse& told) { return EventOf(told); }, What("events"),
      clock_);
}

std::unique_ptr<ContainerEvents> CriClient::ContainerdEvents() {
  return std::make_unique<EventStream<native::Envelope>>(
      [this](grpc::ClientContext* context, grpc::CompletionQueue* queue) {
        native::SubscribeRequest request;
        for (const char* const topic : {"/tasks/start", "/tasks/exit"}) {
          request.add_filters(fmt::format("namespace==k8s.io,topic==\"{}\"", topic));
        }
        return wire_->events.PrepareAsyncSubscribe(context, request, queue);
      },
      [](const native::Envelope& told) { return EventOf(told); }, What("events"), clock_);
}

}  // namespace hearth::agent::internal
