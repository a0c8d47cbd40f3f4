#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/log.h"
#include "base/metrics.h"
#include "controller/event_recorder.h"
#include "controller/informer.h"
#include "controller/reconciler.h"
#include "controller/sources.h"
#include "controller/work_queue.h"
#include "controller/written.h"

namespace hearth::controller {

struct ControllerOptions {
  std::string name;  // in logs and metrics
  int workers = 2;
  Duration reconcile_timeout = std::chrono::minutes(2);
  BackoffPolicy retry{std::chrono::milliseconds(5), std::chrono::seconds(1000), 2.0, 0.1};
  Duration resync = Duration::max();  // look at everything again, at low priority; off
};

// Feeds one reconciler: changes become keys, keys become passes on worker threads, failures come
// back with growing delays, and a key whose pass wrote something waits until the caches show it.
class Controller {
 public:
  struct Wiring {
    kube::Client& client;
    Clock& clock;
    EventRecorder& events;
    WrittenGate& gate;
    Logger logger;
    Metrics& metrics;
  };
  Controller(ControllerOptions options, Reconciler& reconciler, const Wiring& wiring);
  ~Controller();  // stops

  // Before the informers start. `fields` says which changes concern this controller; it must
  // outlive it.
  void Watch(Informer& informer, Mapper mapper, const json::FieldSet& fields);
  // From anywhere, any time: timers, other systems.
  void Enqueue(const kube::ObjectKey& key, Priority priority = Priority::kNormal);

  // Workers begin; call when everything watched is synced. Stop lets running passes finish within
  // the limit, after asking them to stop.
  void Start();
  Status Stop(const WaitLimit& limit);
  const std::string& name() const;
  const WorkQueue& queue() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hearth::controller
