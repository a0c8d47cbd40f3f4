#include "agent/cri/testing/cri_stand_in.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "agent/cri/wire/cri.grpc.pb.h"

namespace hearth::agent {

namespace cri = runtime::v1;

class CriStandIn::Service : public cri::RuntimeService::Service {
 public:
  grpc::Status Version(grpc::ServerContext* context, const cri::VersionRequest*,
                       cri::VersionResponse* answer) override {
    std::unique_lock lock(mutex);
    answer->set_runtime_name(name);
    answer->set_runtime_version(version);
    // Held back until the client gives up.
    while (silent && !over && !context->IsCancelled()) {
      changed.wait_for(lock, std::chrono::milliseconds(5));
    }
    return grpc::Status::OK;
  }

  grpc::Status ListContainers(grpc::ServerContext*, const cri::ListContainersRequest*,
                              cri::ListContainersResponse* answer) override {
    // Everything, whatever was asked for: that it fits is the client's to check.
    const std::lock_guard lock(mutex);
    lists += 1;
    changed.notify_all();
    for (const Held& held : containers) {
      cri::Container& listed = *answer->add_containers();
      listed.set_id(held.id);
      listed.set_state(StateOf(held));
      listed.set_created_at(held.created_at);
      listed.mutable_labels()->insert(held.labels.begin(), held.labels.end());
    }
    return grpc::Status::OK;
  }

  grpc::Status ContainerStatus(grpc::ServerContext*, const cri::ContainerStatusRequest* request,
                               cri::ContainerStatusResponse* answer) override {
    const std::lock_guard lock(mutex);
    const auto held = std::find_if(containers.begin(), containers.end(),
                                   [&](const Held& c) { return c.id == request->container_id(); });
    if (held == containers.end()) {
      return {grpc::StatusCode::NOT_FOUND,
              "could not find container \"" + request->container_id() + "\""};
    }
    cri::ContainerStatus& status = *answer->mutable_status();
    status.set_id(confused_id.empty() ? held->id : confused_id);
    status.set_state(StateOf(*held));
    status.set_exit_code(held->state.exit_code);
    status.set_reason(held->state.reason);
    status.mutable_image()->set_image(held->image);
    status.set_image_ref(held->image_reference);
    status.set_log_path(held->log_path);
    status.mutable_labels()->insert(held->labels.begin(), held->labels.end());
    if (request->verbose() && !held->info.empty()) {
      (*answer->mutable_info())["info"] = held->info;
    }
    return grpc::Status::OK;
  }

  grpc::Status StopContainer(grpc::ServerContext*, const cri::StopContainerRequest* request,
                             cri::StopContainerResponse*) override {
    const std::lock_guard lock(mutex);
    stopped.push_back(request->container_id() + " after " + std::to_string(request->timeout()) +
                      " s");
    return grpc::Status::OK;
  }

  grpc::Status GetContainerEvents(
      grpc::ServerContext* context, const cri::GetEventsRequest*,
      grpc::ServerWriter<cri::ContainerEventResponse>* writer) override {
    std::unique_lock lock(mutex);
    size_t next = events.size();
    watchers += serves_events ? 1 : 0;
    changed.notify_all();
    while (serves_events && !over && !context->IsCancelled()) {
      for (; next < events.size(); ++next) {
        cri::ContainerEventResponse told;
        told.set_container_id(events[next].container_id);
        told.set_container_event_type(static_cast<cri::ContainerEventType>(events[next].kind));
        writer->Write(told);
      }
      // A client that goes tells nobody; it is looked for now and then.
      changed.wait_for(lock, std::chrono::milliseconds(20));
    }
    return grpc::Status::OK;
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::string name = "cri-o";
  std::string version = "1.30.0";
  std::vector<Held> containers;
  std::string confused_id;
  bool silent = false;
  bool serves_events = false;
  bool over = false;
  int watchers = 0;
  int lists = 0;
  std::vector<ContainerEvent> events;
  std::vector<std::string> stopped;
  std::unique_ptr<grpc::Server> server;

 private:
  static cri::ContainerState StateOf(const Held& held) {
    switch (held.state.phase) {
      case ContainerState::Phase::kCreated:
        return cri::CONTAINER_CREATED;
      case ContainerState::Phase::kRunning:
        return cri::CONTAINER_RUNNING;
      case ContainerState::Phase::kExited:
        return cri::CONTAINER_EXITED;
      case ContainerState::Phase::kUnknown:
        break;
    }
    return cri::CONTAINER_UNKNOWN;
  }
};

CriStandIn::CriStandIn(std::string socket)
    : socket_(std::move(socket)), service_(std::make_unique<Service>()) {
  grpc::ServerBuilder builder;
  builder.AddListeningPort("unix:" + socket_, grpc::InsecureServerCredentials());
  builder.RegisterService(service_.get());
  service_->server = builder.BuildAndStart();
}

CriStandIn::~CriStandIn() {
  {
    const std::lock_guard lock(service_->mutex);
    service_->over = true;
  }
  service_->changed.notify_all();
  service_->server->Shutdown(std::chrono::system_clock::now());
}

void CriStandIn::Name(const std::string& runtime, const std::string& version) {
  const std::lock_guard lock(service_->mutex);
  service_->name = runtime;
  service_->version = version;
}

void CriStandIn::Hold(Held container) {
  Remove(container.id);
  const std::lock_guard lock(service_->mutex);
  service_->containers.push_back(std::move(container));
}

void CriStandIn::Remove(const std::string& id) {
  const std::lock_guard lock(service_->mutex);
  std::erase_if(service_->containers, [&](const Held& held) { return held.id == id; });
}

void CriStandIn::Confuse(const std::string& id) {
  const std::lock_guard lock(service_->mutex);
  service_->confused_id = id;
}

void CriStandIn::FallSilent() {
  const std::lock_guard lock(service_->mutex);
  service_->silent = true;
}

void CriStandIn::ServeEvents() {
  const std::lock_guard lock(service_->mutex);
  service_->serves_events = true;
}

void CriStandIn::Tell(const ContainerEvent& event) {
  {
    const std::lock_guard lock(service_->mutex);
    service_->events.push_back(event);
  }
  service_->changed.notify_all();
}

void CriStandIn::AwaitWatchers(int count) {
  std::unique_lock lock(service_->mutex);
  service_->changed.wait(lock, [&] { return service_->watchers >= count; });
}

void CriStandIn::AwaitLists(int count) {
  std::unique_lock lock(service_->mutex);
  service_->changed.wait(lock, [&] { return service_->lists >= count; });
}

std::vector<std::string> CriStandIn::stopped() const {
  const std::lock_guard lock(service_->mutex);
  return service_->stopped;
}

}  // namespace hearth::agent
