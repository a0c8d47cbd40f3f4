#include "snapshot/operator/testing/operator_rig.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "controller/conditions.h"
#include "json/time.h"
#include "snapshot/protocol/node_names.h"

namespace hearth::snapshot {

using json::Value;

OperatorRig::OperatorRig(SnapshotControllerOptions options)
    : options_(std::move(options)), transport_(kube::MakeHandlerTransport(loop_, api_.Handler())) {}

OperatorRig::~OperatorRig() { Stop(); }

SnapshotControllerOptions OperatorRig::Patient() {
  SnapshotControllerOptions options;
  options.limits.delete_timeout = std::chrono::hours(24 * 36500);
  return options;
}

void OperatorRig::Start() {
  manager_ = controller::Manager::CreateWith({.name = "operator"}, *transport_, Logger::Null());
  controllers_ = std::make_unique<SnapshotControllers>(*manager_, options_);
  stop_ = std::stop_source();
  thread_ = std::thread([this] { EXPECT_TRUE(manager_->Run(stop_.get_token()).ok()); });
}

void OperatorRig::Stop() {
  stop_.request_stop();
  if (thread_.joinable()) {
    thread_.join();
  }
  manager_.reset();
  controllers_.reset();
}

void OperatorRig::PutPod(const std::string& name, const std::string& node) {
  Value pod = kube::NewObject(kube::types::Pods(), {"ns", name});
  pod["spec"] = node.empty() ? Value::Object() : Value::Object({{"nodeName", node}});
  api_.Put(kube::types::Pods(), std::move(pod));
}

void OperatorRig::PutNode(const std::string& name) {
  api_.Put(kube::types::Nodes(), kube::NewObject(kube::types::Nodes(), {"", name}));
}

void OperatorRig::PutAgent(const std::string& node, const std::string& renewed, int lasts) {
  Value lease = kube::NewObject(kube::types::Leases(), {"agents", AgentLeaseName(node)});
  lease["metadata"]["labels"][kComponentLabel] = kAgentComponent;
  lease.Set("spec", Value::Object({{"holderIdentity", node},
                                   {"leaseDurationSeconds", lasts},
                                   {"renewTime", renewed}}));
  api_.Put(kube::types::Leases(), std::move(lease));
}

std::string OperatorRig::PutSnapshot(const std::string& name, const std::string& pod,
                                     const Value& annotations) {
  Value snapshot = kube::NewObject(PodSnapshots(), {"ns", name});
  if (annotations.IsObject()) {
    snapshot["metadata"].Set("annotations", annotations);
  }
  snapshot.MakePath("spec.source.podRef") =
      Value::Object({{"name", pod}, {"containers", Value::Array({"main"})}});
  return api_.Put(PodSnapshots(), std::move(snapshot)).FindPath("metadata.uid")->string();
}

void OperatorRig::SetCondition(const std::string& content, const std::string& type,
                               const std::string& status, const std::string& reason,
                               const Value& artifact) {
  Value object = Content(content).value();
  Value conditions;
  if (const Value* found = object.FindPath("status.conditions")) {
    conditions = *found;
  }
  object.MakePath("status.conditions") = controller::SetCondition(
      std::move(conditions), {type, status, reason, "told by the test", 1}, json::Time{});
  if (artifact.IsObject()) {
    object.MakePath("status.artifact") = artifact;
  }
  api_.Put(PodSnapshotContents(), std::move(object));
}

void OperatorRig::Delete(const kube::ResourceType& type, const kube::ObjectKey& key) {
  api_.Remove(type, key);
}

std::optional<Value> OperatorRig::Snapshot(const std::string& name) const {
  return api_.Find(PodSnapshots(), {"ns", name});
}

std::optional<Value> OperatorRig::Content(const std::string& name) const {
  return api_.Find(PodSnapshotContents(), {"", name});
}

std::string OperatorRig::Condition(const std::optional<Value>& object,
                                   const std::string& type) const {
  if (!object.has_value()) {
    return "gone";
  }
  const json::Blob blob = object->ToBlob();
  const auto found = controller::FindCondition(blob.view()["status"]["conditions"], type);
  return found.has_value() ? found->status + " " + found->reason : "";
}

std::string OperatorRig::AwaitBound(const std::string& name) const {
  const auto bound = [&]() -> std::string {
    const auto snapshot = Snapshot(name);
    const Value* found =
        snapshot.has_value() ? snapshot->FindPath("status.boundSnapshotContentName") : nullptr;
    return found == nullptr ? "" : found->StringOr("");
  };
  Await([&] { return !bound().empty(); });
  return bound();
}

void OperatorRig::Await(const std::function<bool()>& condition) {
  while (!condition()) {
    std::this_thread::yield();
  }
}

void OperatorRig::AwaitCondition(const std::string& snapshot, const std::string& type,
                                 const std::string& expected) const {
  Await([&] { return Condition(Snapshot(snapshot), type) == expected; });
}

bool OperatorRig::HasEvent(const std::string& reason) const {
  const auto events = api_.All(kube::types::Events());
  return std::any_of(events.begin(), events.end(), [&](const Value& event) {
    return event.Find("reason")->StringOr("") == reason;
  });
}

std::vector<std::string> OperatorRig::Writes() const {
  std::vector<std::string> requests = api_.requests();
  std::erase_if(requests, [](const std::string& request) {
    return request.starts_with("GET ") || request.starts_with("WATCH ") ||
           request.find("/events") != std::string::npos;
  });
  return requests;
}

}  // namespace hearth::snapshot
