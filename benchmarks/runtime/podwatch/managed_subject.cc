#include <atomic>
#include <optional>
#include <thread>
#include <utility>

#include "base/guarded.h"
#include "controller/manager.h"
#include "pod_reconciler.h"
#include "subject.h"

namespace hearth::bench {
namespace {

using controller::CachedObject;
using controller::Manager;

// Passes every change on as it is, and counts it. A mapper is called for the state before and the
// one after; versions only rise, so the one after is the one that is newer than all before.
controller::Mapper CountAndMapToSelf(Meter& meter) {
  return [&meter, newest = uint64_t{0}, self = controller::MapToSelf()](
             const CachedObject& object, const controller::Enqueue& enqueue) mutable {
    if (object.resource_version() > newest) {
      newest = object.resource_version();
      meter.CountEvent();
    }
    self(object, enqueue);
  };
}

template <typename P>
class ManagedSubject : public Subject {
 public:
  ManagedSubject(std::unique_ptr<Manager> manager, const PodwatchOptions& options, Meter& meter)
      : manager_(std::move(manager)),
        pods_(manager_->template Watch<P>(
            kube::types::Pods(), {.scope = {.name_space = options.name_space},
                                  .indexes = {controller::IndexByLabel(kAppIndex, "app")}})),
        reconciler_(pods_, meter),
        controller_(
            manager_
                ->AddController({.name = "podwatch", .workers = static_cast<int>(options.workers)},
                                reconciler_)
                .Watches(pods_, CountAndMapToSelf(meter))
                .controller()),
        thread_([this](const std::stop_token& stop) { *ended_.Lock() = manager_->Run(stop); }) {}

  Status AwaitSynced() override {
    while (!pods_.informer().synced()) {
      if (const auto ended = *ended_.Lock()) {
        return ended->ok() ? CancelledError("the manager ended before the cache was synced")
                           : *ended;
      }
      SleepFor(RealClock(), std::chrono::microseconds(200), {});
    }
    return {};
  }

  std::vector<kube::ObjectKey> Keys() const override {
    std::vector<kube::ObjectKey> keys;
    for (const auto& pod : pods_.List()) {
      keys.push_back(pod->key());
    }
    return keys;
  }

  bool reconciles() const override { return true; }
  void Enqueue(const kube::ObjectKey& key) override { controller_.Enqueue(key); }

 private:
  std::unique_ptr<Manager> manager_;
  controller::Cached<P> pods_;
  PodReconciler<P> reconciler_;
  controller::Controller& controller_;
  Guarded<std::optional<Status>> ended_;
  std::jthread thread_;
};

}  // namespace

Result<std::unique_ptr<Subject>> StartManaged(const PodwatchOptions& options, Meter& meter) {
  controller::ManagerOptions manager_options;
  manager_options.name = "podwatch";
  manager_options.config.kubeconfig = options.kubeconfig;
  ASSIGN_OR_RETURN(auto manager, Manager::Create(manager_options, Logger::Null()));
  if (options.keep_all) {
    return std::make_unique<ManagedSubject<WholePod>>(std::move(manager), options, meter);
  }
  return std::make_unique<ManagedSubject<PodFields>>(std::move(manager), options, meter);
}

}  // namespace hearth::bench
