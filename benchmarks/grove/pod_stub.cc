#include "pod_stub.h"

#include <utility>

#include "json/projection.h"
#include "json/time.h"

namespace hearth::bench {
namespace {

using json::Value;

constexpr size_t kWorkers = 8;
constexpr auto kRequestTimeout = std::chrono::seconds(30);

using Pod = json::Projection<
    json::Field<"spec.nodeName", json::View>, json::Field<"spec.schedulingGates", json::View>,
    json::Field<"spec.containers[].name", json::View>, json::Field<"status.phase", json::View>>;

WaitLimit Limit() { return WaitLimit::For(RealClock(), kRequestTimeout); }

Value BindingOf(const kube::ObjectKey& pod) {
  return Value::Object(
      {{"apiVersion", "v1"},
       {"kind", "Binding"},
       {"metadata", Value::Object({{"name", pod.name}, {"namespace", pod.name_space}})},
       {"target", Value::Object({{"apiVersion", "v1"}, {"kind", "Node"}, {"name", "node-1"}})}});
}

Value RunningStatus(const std::string& container) {
  const std::string now = json::Time{RealClock().WallNow()}.ToString();
  Value conditions = Value::Array();
  for (const char* type : {"PodScheduled", "Initialized", "ContainersReady", "Ready"}) {
    conditions.Append(
        Value::Object({{"type", type}, {"status", "True"}, {"lastTransitionTime", now}}));
  }
  Value running = Value::Object({{"running", Value::Object({{"startedAt", now}})}});
  Value containers = Value::Array({Value::Object({{"name", container},
                                                  {"image", "registry.example/engine:1"},
                                                  {"imageID", "registry.example/engine:1"},
                                                  {"ready", true},
                                                  {"started", true},
                                                  {"restartCount", 0},
                                                  {"state", std::move(running)}})});
  Value status = Value::Object({{"phase", "Running"},
                                {"startTime", now},
                                {"podIP", "10.1.2.3"},
                                {"hostIP", "10.0.0.1"},
                                {"conditions", std::move(conditions)},
                                {"containerStatuses", std::move(containers)}});
  return Value::Object({{"status", std::move(status)}});
}

}  // namespace

json::FieldSet PodStub::Fields() { return Pod::Fields(); }

PodStub::PodStub(kube::Client& client, controller::Informer& pods) : client_(client), pods_(pods) {
  pods.OnChange([this](const controller::Change& change) {
    if (change.after && on_) {
      Add(*change.after);
    }
  });
  workers_.reserve(kWorkers);
  for (size_t i = 0; i < kWorkers; ++i) {
    workers_.emplace_back([this](const std::stop_token& stop) { Work(stop); });
  }
}

PodStub::~PodStub() = default;

PodStub::Task PodStub::TaskFor(const controller::CachedObject& pod) {
  if (pod.deleting()) {
    return Task::kRemove;
  }
  const json::View spec = pod.view()["spec"];
  const bool waits = spec["schedulingGates"].size() > 0;
  const bool bound = !spec["nodeName"].StringOr("").empty();
  return waits || bound ? Task::kNone : Task::kRun;
}

void PodStub::Add(const controller::CachedObject& pod) {
  const Task task = TaskFor(pod);
  if (task == Task::kNone) {
    return;
  }
  std::string container = "main";
  for (const json::View one : pod.view()["spec"]["containers"].items()) {
    container = one["name"].StringOr(container);
  }
  {
    const std::lock_guard lock(mutex_);
    due_.push_back({task, pod.key(), std::move(container)});
  }
  added_.notify_one();
}

void PodStub::Switch(bool on) {
  on_ = on;
  if (on) {
    for (const controller::ObjectPtr& pod : pods_.store().List()) {
      Add(*pod);
    }
  }
}

void PodStub::Work(const std::stop_token& stop) {
  while (true) {
    Due due;
    {
      std::unique_lock lock(mutex_);
      if (!added_.wait(lock, stop, [this] { return !due_.empty(); })) {
        return;
      }
      due = std::move(due_.front());
      due_.pop_front();
    }
    Do(due);
  }
}

// A pod that is gone, or taken by another worker, needs nothing any more: answers do not matter.
void PodStub::Do(const Due& due) {
  if (due.task == Task::kRemove) {
    (void)client_.Delete(kube::types::Pods(), due.pod, Limit(), {.grace_period_seconds = 0});
    return;
  }
  const json::Blob binding = BindingOf(due.pod).ToBlob();
  const auto bound = client_.CreateSubresource(kube::types::Pods(), due.pod, binding.view(),
                                               Limit(), {.subresource = "binding"});
  if (bound.ok()) {
    const json::Blob status = RunningStatus(due.container).ToBlob();
    (void)client_.Patch(kube::types::Pods(), due.pod, kube::PatchType::kStrategic, status.view(),
                        Limit(), {.subresource = "status"});
  }
}

}  // namespace hearth::bench
