#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/metrics.h"
#include "base/options.h"
#include "base/result.h"
#include "controller/cached.h"
#include "controller/controller.h"
#include "controller/event_recorder.h"
#include "controller/informer.h"
#include "controller/leader_elector.h"
#include "kube/client/client.h"
#include "kube/client/discovery.h"
#include "kube/config/config.h"

namespace hearth::controller {

struct ManagerOptions {
  std::string name = "hearth";      // field manager, event source, user agent
  kube::ConfigRequest config;       // --kubeconfig, --context
  std::string health_address = "";  // host:port of /healthz, /readyz and /metrics; empty: none
  bool leader_elect = false;
  std::string lease_name;       // the manager's name when empty
  std::string lease_namespace;  // the pod's, or the context's, when empty
  Duration lease_duration = std::chrono::seconds(15);
  Duration renew_deadline = std::chrono::seconds(10);
  Duration retry_period = std::chrono::seconds(2);
  Duration sync_timeout = std::chrono::minutes(2);
  Duration shutdown_timeout = std::chrono::seconds(30);
  InformerOptions informer;
  std::string log_format = "text";  // text for people, json for machines
  std::string log_level = "info";

  // Rows for a program's option table, each once.
  void AddTo(OptionTable& table);
  // To stderr, as the options say; what they do not know is taken as text and info.
  Logger MakeLogger() const;
};

struct WatchSpec {
  Scope scope;
  std::vector<Index> indexes;
};

// Owns everything a controller program needs and knows in which order it starts and stops: health
// and metrics, caches, then (as leader) controllers; and back, the lease given up last. Wire
// everything between Create and Run.
class Manager {
 public:
  // Reads the configuration; runs no plugin and talks to no server yet.
  static Result<std::unique_ptr<Manager>> Create(ManagerOptions options, Logger logger);
  // With a transport that somebody else made: tests, a server in the same process. It must outlive
  // the manager.
  static std::unique_ptr<Manager> CreateWith(ManagerOptions options, kube::Transport& transport,
                                             Logger logger);
  ~Manager();

  // A cache for this type that keeps what P declares. Two calls for the same type and scope share
  // one watch and keep both sets of fields.
  template <typename P>
  Cached<P> Watch(const kube::ResourceType& type, WatchSpec spec = {}) {
    return Cached<P>(AddInformer(type, std::move(spec), P::Fields()));
  }

  class ControllerBuilder {
   public:
    // The objects it reconciles.
    template <typename P>
    ControllerBuilder& For(const Cached<P>& primary) {
      return Add(primary.informer(), MapToSelf(), P::Fields());
    }
    // Objects that a primary of this type controls. The cache also keeps Pass::Apply's stamp, which
    // tells that a field is no longer wanted.
    template <typename P>
    ControllerBuilder& Owns(const Cached<P>& owned, const kube::ResourceType& owner) {
      return Add(owned.informer(), MapToController(owner), P::Fields()).KeepStamp(owned.informer());
    }
    template <typename P>
    ControllerBuilder& Watches(const Cached<P>& other, Mapper mapper) {
      return Add(other.informer(), std::move(mapper), P::Fields());
    }
    Controller& controller() { return controller_; }

   private:
    friend class Manager;
    ControllerBuilder(Manager& manager, Controller& controller)
        : manager_(manager), controller_(controller) {}
    ControllerBuilder& Add(const Informer& informer, Mapper mapper, json::FieldSet fields);
    ControllerBuilder& KeepStamp(const Informer& informer);
    Manager& manager_;
    Controller& controller_;
  };
  // `reconciler` must outlive the manager's Run.
  ControllerBuilder AddController(ControllerOptions options, Reconciler& reconciler);

  // Named checks: /readyz is ok when all are. Synced caches are checked anyway.
  void AddReadyCheck(std::string name, std::function<Status()> check);
  void AddHealthCheck(std::string name, std::function<Status()> check);
  // Runs on a thread of its own while we lead (or always), until told to stop. A failure ends the
  // manager. Those that run always start before the caches are filled, because filling them may
  // need a conversion webhook's answers.
  void AddRunnable(std::string name, bool needs_leader, std::function<Status(std::stop_token)> run);

  // Runs until `stop`, then shuts down in order: ok. Credentials that cannot be had, a lost lease
  // or a cache that never syncs end it with that failure; after a lost lease nothing is drained,
  // the caller must end the process.
  Status Run(const std::stop_token& stop);

  kube::Client& client();
  kube::Discovery& discovery();
  EventRecorder& events();
  Metrics& metrics();
  Clock& clock();
  const Logger& logger() const;
  // Where health and metrics are served, once running.
  std::optional<net::Endpoint> health_endpoint() const;

 private:
  struct Impl;
  explicit Manager(std::unique_ptr<Impl> impl);
  const Informer& AddInformer(const kube::ResourceType& type, WatchSpec spec,
                              json::FieldSet fields);

  std::unique_ptr<Impl> impl_;
};

// The last line of a main: Run, and the exit code. After a failure it does not return but ends the
// process with 1: destructors would wait for the passes of a former leader, however long they take.
int RunProgram(Manager& manager, const std::stop_token& stop);

}  // namespace hearth::controller
