#pragma once

#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "controller/manager.h"
#include "controller/testing/memory_api.h"
#include "json/value.h"
#include "snapshot/operator/snapshot_controllers.h"

namespace hearth::snapshot {

// Both controllers over an API server in memory. Put objects before or after Start; what the
// controllers make of them is awaited.
class OperatorRig {
 public:
  explicit OperatorRig(SnapshotControllerOptions options = Patient());
  ~OperatorRig();  // stops

  // Nothing runs out: the server in memory stamps deletions with a day long past.
  static SnapshotControllerOptions Patient();

  void Start();
  // Ends this process' controllers; what they wrote stays. Another Start goes on from there.
  void Stop();

  void PutPod(const std::string& name, const std::string& node);
  void PutNode(const std::string& name);
  void PutAgent(const std::string& node, const std::string& renewed = "t1", int lasts = 3600);
  // Returns the uid.
  std::string PutSnapshot(const std::string& name, const std::string& pod,
                          const json::Value& annotations = {});
  // What an agent writes.
  void SetCondition(const std::string& content, const std::string& type, const std::string& status,
                    const std::string& reason, const json::Value& artifact = {});
  // As a user deletes: finalizers hold it.
  void Delete(const kube::ResourceType& type, const kube::ObjectKey& key);

  std::optional<json::Value> Snapshot(const std::string& name) const;
  std::optional<json::Value> Content(const std::string& name) const;
  // "True Captured", "False Pending"; "" when there is none.
  std::string Condition(const std::optional<json::Value>& object, const std::string& type) const;
  // The name of the content, once bound.
  std::string AwaitBound(const std::string& name) const;
  static void Await(const std::function<bool()>& condition);
  void AwaitCondition(const std::string& snapshot, const std::string& type,
                      const std::string& expected) const;
  bool HasEvent(const std::string& reason) const;
  // Requests that change something, but events, so far.
  std::vector<std::string> Writes() const;

  controller::MemoryApi& api() { return api_; }
  controller::Manager& manager() { return *manager_; }

 private:
  SnapshotControllerOptions options_;
  controller::MemoryApi api_;
  net::EventLoop loop_{"rig"};
  std::unique_ptr<kube::Transport> transport_;
  std::unique_ptr<controller::Manager> manager_;
  std::unique_ptr<SnapshotControllers> controllers_;
  std::stop_source stop_;
  std::thread thread_;
};

}  // namespace hearth::snapshot
