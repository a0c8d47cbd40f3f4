#include "controller/manager.h"

#include <algorithm>
#include <cstdlib>
#include <list>
#include <map>
#include <optional>
#include <thread>
#include <utility>

#include "base/check.h"
#include "base/guarded.h"
#include "controller/health_server.h"
#include "controller/internal/named_thread.h"
#include "controller/internal/runnable_group.h"
#include "controller/pass.h"
#include "controller/written.h"

namespace hearth::controller {
namespace {

constexpr Duration kCredentialsTimeout = std::chrono::seconds(60);
// What the end of a program may cost: events and the lease are a courtesy to others.
constexpr Duration kFlushTimeout = std::chrono::seconds(2);
constexpr Duration kReleaseTimeout = std::chrono::seconds(3);

// One that is over: things are asked to stop, and nobody waits for them.
WaitLimit NoWait() { return {.deadline = SteadyTime::min()}; }

kube::ClientOptions MainClient(const ManagerOptions& options, const Logger& logger) {
  kube::ClientOptions client;
  client.field_manager = options.name;
  client.on_warning = [logger](std::string_view text) {
    logger.Warning("the API server warns", {{"warning", text}});
  };
  return client;
}

// The elector tries again by itself, at its own times.
kube::ClientOptions ElectorClient(const ManagerOptions& options) {
  kube::ClientOptions client;
  client.field_manager = options.name;
  client.max_tries = 1;
  return client;
}

EventRecorder::Options Recorder(const ManagerOptions& options) {
  EventRecorder::Options recorder;
  recorder.reporting_controller = options.name;
  return recorder;
}

LeaderElector::Options Election(const ManagerOptions& options, const std::string& own_namespace) {
  const auto& name = options.lease_name.empty() ? options.name : options.lease_name;
  const auto& name_space =
      options.lease_namespace.empty() ? own_namespace : options.lease_namespace;
  return {.lease = {name_space, name},
          .lease_duration = options.lease_duration,
          .renew_deadline = options.renew_deadline,
          .retry_period = options.retry_period};
}

}  // namespace

// Members go in the reverse order: threads and callbacks before what they use.
struct Manager::Impl {
  Impl(ManagerOptions the_options, kube::Transport& the_transport, Logger the_logger)
      : options(std::move(the_options)),
        logger(std::move(the_logger)),
        transport(the_transport),
        client(transport, clock, MainClient(options, logger)),
        discovery(client, clock),
        events(client, clock, Recorder(options), logger),
        gate(clock, logger) {}

  void AddPages();
  Status Sync() const;
  std::string Expose() const;
  Informer& OwnInformer(const Informer& informer);

  Status MakeElector();
  Status StartAndWait();
  Status StartHealth();
  Status CheckCredentials();
  Status FillCaches();
  Status BecomeLeader();
  void StartActing();
  void Fail(Status status);
  void LoseLease(Status status);

  Status ShutDown();
  void AskToStop();
  Status StopActing(const WaitLimit& limit);
  Status StopServing(const WaitLimit& limit);
  void GiveUpLease();

  const ManagerOptions options;
  const Logger logger;
  Clock& clock = RealClock();
  Metrics metrics;

  // Made here, unless the transport is somebody else's.
  struct Connection {
    std::unique_ptr<net::EventLoop> loop;
    kube::Config config;
    std::unique_ptr<kube::Transport> transport;
    std::unique_ptr<kube::Transport> elector_transport;
  };
  std::optional<Connection> connection;
  kube::Transport& transport;

  kube::Client client;
  kube::Discovery discovery;
  EventRecorder events;

  std::list<json::FieldSet> fields;  // of the controllers' watches
  std::map<std::pair<kube::ResourceType, Scope>, std::unique_ptr<Informer>> informers;
  WrittenGate gate;
  std::vector<std::unique_ptr<Controller>> controllers;
  std::stop_source run_stop;    // asked from outside, or something failed
  std::stop_source lease_lost;  // nobody may act or wait from here on
  Guarded<Status> failure;      // the first; threads tell it to their very end
  internal::RunnableGroup always{clock};
  internal::RunnableGroup as_leader{clock};

  std::unique_ptr<kube::Client> elector_client;
  std::unique_ptr<LeaderElector> elector;
  std::stop_source hold_stop;
  std::jthread hold_thread;

  bool ran = false;

  HealthPages pages;
  std::unique_ptr<http::Server> health;
  Guarded<std::optional<net::Endpoint>> health_endpoint;
};

void Manager::Impl::AddPages() {
  pages.live.Add("ping", [] { return Status::Ok(); });
  pages.ready.Add("caches", [this] { return Sync(); });
  pages.metrics = [this] { return Expose(); };
}

Status Manager::Impl::Sync() const {
  for (const auto& [key, informer] : informers) {
    if (!informer->synced()) {
      return UnavailableError("the cache of " + key.first.ToString() + " is not filled yet");
    }
  }
  return {};
}

std::string Manager::Impl::Expose() const {
  for (const auto& controller : controllers) {
    controller->queue().SampleMetrics();
  }
  return metrics.Expose();
}

Informer& Manager::Impl::OwnInformer(const Informer& informer) {
  const auto found = informers.find({informer.type(), informer.scope()});
  CHECK(found != informers.end() && found->second.get() == &informer)
      << "the cache of " << informer.type().ToString() << " belongs to another manager";
  return *found->second;
}

Status Manager::Impl::MakeElector() {
  if (!options.leader_elect) {
    return {};
  }
  kube::Transport& own = connection ? *connection->elector_transport : transport;
  elector_client = std::make_unique<kube::Client>(own, clock, ElectorClient(options));
  const std::string name_space = connection ? connection->config.name_space : "default";
  ASSIGN_OR_RETURN(elector, LeaderElector::Create(*elector_client, clock,
                                                  Election(options, name_space), logger, &metrics));
  return {};
}

Status Manager::Impl::StartAndWait() {
  RETURN_IF_ERROR(MakeElector());
  RETURN_IF_ERROR(StartHealth());
  RETURN_IF_ERROR(CheckCredentials());
  always.Start([this](Status status) { Fail(std::move(status)); });
  RETURN_IF_ERROR(FillCaches());
  RETURN_IF_ERROR(BecomeLeader());
  StartActing();
  SleepFor(clock, Duration::max(), run_stop.get_token());
  return {};
}

Status Manager::Impl::StartHealth() {
  if (options.health_address.empty()) {
    return {};
  }
  ASSIGN_OR_RETURN(health,
                   StartHealthServer(transport.loop(), options.health_address, pages, logger));
  *health_endpoint.Lock() = health->endpoint();
  logger.Info("serving health and metrics", {{"address", health->endpoint().ToString()}});
  return {};
}

// A missing plugin or a token that cannot be one gets no better by trying again; anything else may.
Status Manager::Impl::CheckCredentials() {
  if (!connection.has_value()) {
    return {};
  }
  const kube::Config& config = connection->config;
  const Status status =
      config.credentials->Get(WaitLimit::For(clock, kCredentialsTimeout, run_stop.get_token()))
          .status();
  const bool hopeless =
      status.Is(Code::kInvalid) || status.Is(Code::kNotFound) || status.Is(Code::kCancelled);
  return hopeless ? status.WithContext(config.origin) : Status();
}

Status Manager::Impl::FillCaches() {
  const SteadyTime began = clock.Now();
  const WaitLimit limit = WaitLimit::For(clock, options.sync_timeout, run_stop.get_token());
  for (const auto& [key, informer] : informers) {
    informer->Start();
  }
  size_t objects = 0;
  for (const auto& [key, informer] : informers) {
    RETURN_IF_ERROR(informer->WaitForSync(limit));
    objects += informer->store().size();
  }
  logger.Info("caches are filled",
              {{"caches", informers.size()},
               {"objects", objects},
               {"seconds", std::chrono::duration<double>(clock.Now() - began).count()}});
  return {};
}

// From here on the lease is renewed, also while everything stops: it is given up last.
Status Manager::Impl::BecomeLeader() {
  if (elector == nullptr) {
    return {};
  }
  RETURN_IF_ERROR(elector->Acquire(run_stop.get_token()));
  hold_thread = internal::NamedThread("lease", [this] {
    Status held = elector->Hold(hold_stop.get_token());
    if (!held.ok()) {
      LoseLease(std::move(held));
    }
  });
  return {};
}

void Manager::Impl::StartActing() {
  as_leader.Start([this](Status status) { Fail(std::move(status)); });
  for (const auto& controller : controllers) {
    controller->Start();
  }
  logger.Info("running", {{"controllers", controllers.size()}});
}

void Manager::Impl::Fail(Status status) {
  {
    auto first = failure.Lock();
    if (first->ok()) {
      *first = std::move(status);
    }
  }
  run_stop.request_stop();
}

// Told whatever else has failed: it decides what the caller must do.
void Manager::Impl::LoseLease(Status status) {
  *failure.Lock() = std::move(status);
  events.Abandon();
  lease_lost.request_stop();
  run_stop.request_stop();
}

// Returns early when the lease is lost, also on the way.
Status Manager::Impl::ShutDown() {
  logger.Info("stopping");
  const WaitLimit limit = WaitLimit::For(clock, options.shutdown_timeout, lease_lost.get_token());
  Status acting = StopActing(limit);
  if (lease_lost.stop_requested()) {
    return acting;
  }
  Status serving = StopServing(limit);
  hold_stop.request_stop();
  if (hold_thread.joinable()) {
    hold_thread.join();
  }
  if (!acting.ok()) {
    // Somebody still acts: the next leader must wait until the lease is over.
    return acting;
  }
  GiveUpLease();
  return serving;
}

void Manager::Impl::AskToStop() {
  for (const auto& controller : controllers) {
    static_cast<void>(controller->Stop(NoWait()));
  }
  static_cast<void>(as_leader.Stop(NoWait()));
}

Status Manager::Impl::StopActing(const WaitLimit& limit) {
  AskToStop();
  Status first;
  for (const auto& controller : controllers) {
    const Status stopped = controller->Stop(limit);
    first = first.ok() ? stopped : first;
  }
  const Status stopped = as_leader.Stop(limit);
  return first.ok() ? stopped : first;
}

Status Manager::Impl::StopServing(const WaitLimit& limit) {
  for (const auto& [key, informer] : informers) {
    informer->Stop();
  }
  Status stopped = always.Stop(limit);
  const Status flushed = events.Flush(WaitLimit::For(clock, kFlushTimeout));
  if (!flushed.ok()) {
    logger.Warning("some events were not sent", {{"error", flushed.ToString()}});
  }
  if (health != nullptr) {
    *health_endpoint.Lock() = std::nullopt;
    health->Stop(NoWait());
  }
  return stopped;
}

void Manager::Impl::GiveUpLease() {
  if (elector == nullptr) {
    return;
  }
  const Status released = elector->Release(WaitLimit::For(clock, kReleaseTimeout));
  if (!released.ok()) {
    logger.Warning("the lease was not released, the next leader has to wait",
                   {{"error", released.ToString()}});
  }
}

Result<std::unique_ptr<Manager>> Manager::Create(ManagerOptions options, Logger logger) {
  const kube::ConfigSources sources = kube::ConfigSources::Real();
  Impl::Connection connection;
  ASSIGN_OR_RETURN(connection.config, kube::LoadConfig(options.config, sources));
  connection.loop = std::make_unique<net::EventLoop>("net");
  kube::HttpTransportOptions http;
  http.user_agent = options.name;
  ASSIGN_OR_RETURN(connection.transport,
                   kube::MakeHttpTransport(*connection.loop, connection.config, sources, http));
  if (options.leader_elect) {
    ASSIGN_OR_RETURN(connection.elector_transport,
                     kube::MakeHttpTransport(*connection.loop, connection.config, sources, http));
  }
  auto manager = CreateWith(std::move(options), *connection.transport, std::move(logger));
  manager->impl_->connection = std::move(connection);
  return manager;
}

std::unique_ptr<Manager> Manager::CreateWith(ManagerOptions options, kube::Transport& transport,
                                             Logger logger) {
  auto impl = std::make_unique<Impl>(std::move(options), transport, std::move(logger));
  impl->AddPages();
  return std::unique_ptr<Manager>(new Manager(std::move(impl)));
}

Manager::Manager(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

// Only after a lost lease is there still anything to stop.
Manager::~Manager() {
  impl_->run_stop.request_stop();
  impl_->hold_stop.request_stop();
  impl_->AskToStop();
}

const Informer& Manager::AddInformer(const kube::ResourceType& type, WatchSpec spec,
                                     json::FieldSet fields) {
  CHECK(!impl_->ran) << "a cache of " << type.ToString() << " was added to a running manager";
  auto& informer = impl_->informers[{type, spec.scope}];
  if (informer == nullptr) {
    informer = std::make_unique<Informer>(impl_->client, impl_->clock, type, spec.scope,
                                          std::move(fields), std::move(spec.indexes),
                                          impl_->options.informer, impl_->logger, &impl_->metrics);
    impl_->gate.Watch(*informer);
  } else {
    informer->AddFields(fields);
    informer->AddIndexes(std::move(spec.indexes));
  }
  return *informer;
}

Manager::ControllerBuilder Manager::AddController(ControllerOptions options,
                                                  Reconciler& reconciler) {
  CHECK(!impl_->ran) << "controller " << options.name << " was added to a running manager";
  impl_->controllers.push_back(
      std::make_unique<Controller>(std::move(options), reconciler,
                                   Controller::Wiring{impl_->client, impl_->clock, impl_->events,
                                                      impl_->gate, impl_->logger, impl_->metrics}));
  return ControllerBuilder(*this, *impl_->controllers.back());
}

Manager::ControllerBuilder& Manager::ControllerBuilder::Add(const Informer& informer, Mapper mapper,
                                                            json::FieldSet fields) {
  Impl& impl = *manager_.impl_;
  impl.fields.push_back(std::move(fields));
  controller_.Watch(impl.OwnInformer(informer), std::move(mapper), impl.fields.back());
  return *this;
}

Manager::ControllerBuilder& Manager::ControllerBuilder::KeepStamp(const Informer& informer) {
  json::FieldSet stamp;
  const Status added = stamp.Add("metadata.annotations['" + std::string(kAppliedAnnotation) + "']",
                                 json::FieldSet::Mark::kSilent);
  CHECK(added.ok()) << added.ToString();
  manager_.impl_->OwnInformer(informer).AddFields(stamp);
  return *this;
}

void Manager::AddReadyCheck(std::string name, std::function<Status()> check) {
  impl_->pages.ready.Add(std::move(name), std::move(check));
}

void Manager::AddHealthCheck(std::string name, std::function<Status()> check) {
  impl_->pages.live.Add(std::move(name), std::move(check));
}

void Manager::AddRunnable(std::string name, bool needs_leader,
                          std::function<Status(std::stop_token)> run) {
  CHECK(!impl_->ran) << name << " was added to a running manager";
  (needs_leader ? impl_->as_leader : impl_->always).Add(std::move(name), std::move(run));
}

Status Manager::Run(const std::stop_token& stop) {
  CHECK(!std::exchange(impl_->ran, true)) << "a manager runs once";
  const std::stop_callback forward(stop, [this] { impl_->run_stop.request_stop(); });
  const Status started = impl_->StartAndWait();
  // Whatever was cut short by a stop did not fail.
  if (!started.ok() && !impl_->run_stop.stop_requested()) {
    impl_->Fail(started);
  }
  const Status stopped = impl_->ShutDown();
  const Status failed = *impl_->failure.Lock();
  return failed.ok() ? stopped : failed;
}

int RunProgram(Manager& manager, const std::stop_token& stop) {
  const Status ended = manager.Run(stop);
  if (!ended.ok()) {
    manager.logger().Error("ended", {{"cause", ended.ToString()}});
    std::_Exit(EXIT_FAILURE);
  }
  return EXIT_SUCCESS;
}

kube::Client& Manager::client() { return impl_->client; }
kube::Discovery& Manager::discovery() { return impl_->discovery; }
EventRecorder& Manager::events() { return impl_->events; }
Metrics& Manager::metrics() { return impl_->metrics; }
Clock& Manager::clock() { return impl_->clock; }
const Logger& Manager::logger() const { return impl_->logger; }

std::optional<net::Endpoint> Manager::health_endpoint() const {
  return *impl_->health_endpoint.Lock();
}

}  // namespace hearth::controller
