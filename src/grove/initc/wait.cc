#include "grove/initc/wait.h"

#include <condition_variable>
#include <mutex>

#include "base/check.h"
#include "controller/informer.h"
#include "grove/model/labels.h"
#include "kube/model/object.h"

namespace hearth::grove::initc {
namespace {

json::FieldSet PodFields() {
  json::FieldSet fields;
  for (const std::string_view path : {"metadata.labels", "status.conditions"}) {
    CHECK(fields.Add(path, json::FieldSet::Mark::kKept).ok());
  }
  return fields;
}

bool IsReady(json::View pod) {
  for (const json::View condition : pod["status"]["conditions"].items()) {
    if (condition["type"].Equals("Ready")) {
      return condition["status"].Equals("True");
    }
  }
  return false;
}

std::map<std::string, int64_t> CountReady(const controller::ObjectStore& pods) {
  std::map<std::string, int64_t> ready;
  for (const controller::ObjectPtr& object : pods.List()) {
    if (!object->deleting() && IsReady(object->view())) {
      ++ready[kube::Meta(object->view()).label(kCliqueLabel).value_or("")];
    }
  }
  return ready;
}

// Wakes whoever waits for the cache to move on.
class Bell {
 public:
  void Ring() {
    const std::lock_guard lock(mutex_);
    rung_ = true;
    changed_.notify_all();
  }
  // False when stopped instead.
  bool Wait(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    const bool rung = changed_.wait(lock, stop, [this] { return rung_; });
    rung_ = false;
    return rung && !stop.stop_requested();
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool rung_ = false;
};

}  // namespace

Status WaitForParents(kube::Client& client, const WaitRequest& request, const Logger& log,
                      const std::stop_token& stop) {
  std::string missing = StillMissing(request.parents, {});
  log.Info("waiting for pods that must be ready first", {{"missing", missing}});
  Bell bell;
  controller::Informer pods(client, RealClock(), kube::types::Pods(),
                            {request.name_space, PodSelector(request.gang, request.parents), ""},
                            PodFields(), {}, {}, log, nullptr);
  pods.OnProgress([&bell] { bell.Ring(); });
  pods.Start();
  while (bell.Wait(stop)) {
    if (!pods.synced()) {
      continue;
    }
    const std::string now = StillMissing(request.parents, CountReady(pods.store()));
    if (now.empty()) {
      log.Info("all pods that must be ready first are ready");
      return {};
    }
    if (now != missing) {
      log.Info("still waiting", {{"missing", now}});
      missing = now;
    }
  }
  return CancelledError("told to stop while waiting for ready pods: " + missing);
}

}  // namespace hearth::grove::initc
