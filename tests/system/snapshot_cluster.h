#pragma once

#include <memory>
#include <optional>
#include <string>

#include "json/value.h"
#include "kube/client/client.h"
#include "kube/testing/control_plane.h"

namespace hearth {

// A real API server with the product's definitions and the operator's rights, and a test's way to
// play everybody but the operator: user, scheduler, kubelet and agent. Objects are in a namespace
// of its own.
class SnapshotCluster {
 public:
  explicit SnapshotCluster(kube::TestControlPlane& plane);
  ~SnapshotCluster();  // its agents end: those of other tests are not to be asked for anything

  // Once per control plane: definitions, rights, the operator's namespace.
  static void Install(kube::TestControlPlane& plane);
  // As whom the operator runs.
  std::string OperatorToken();
  kube::Config OperatorConfig();

  void AddNode(const std::string& name);
  void RemoveNode(const std::string& name);
  void AddPod(const std::string& name, const std::string& node);
  void Schedule(const std::string& pod, const std::string& node);
  // Renewed now; the lease lasts `seconds`.
  void AddAgent(const std::string& node, int seconds = 3600);
  // Returns the uid.
  std::string Wish(const std::string& name, const std::string& pod,
                   const json::Value& annotations = {});
  void Forget(const std::string& name);  // deletes the PodSnapshot
  void Annotate(const std::string& name, std::string_view annotation, const std::string& value);
  // What an agent writes into a content's status.
  void Tell(const std::string& content, const std::string& type, const std::string& status,
            const std::string& reason, const json::Value& artifact = {});

  bool Exists(const std::string& snapshot);
  std::optional<kube::Object> Snapshot(const std::string& name);
  std::optional<kube::Object> Content(const std::string& name);
  // Contents of this namespace's snapshots.
  size_t CountContents();
  std::string Bound(const std::string& snapshot);  // "" when not
  std::string AwaitBound(const std::string& snapshot);
  // "True Captured", "" when there is none.
  std::string Condition(const std::string& snapshot, const std::string& type);
  bool AwaitCondition(const std::string& snapshot, const std::string& type,
                      const std::string& expected);
  bool AwaitEvent(const std::string& reason);

  kube::Client& client() { return *client_; }
  kube::TestControlPlane& plane() { return plane_; }
  const std::string& name_space() const { return name_space_; }
  static WaitLimit Limit() { return WaitLimit::For(RealClock(), std::chrono::minutes(3)); }

 private:
  void Create(const kube::ResourceType& type, const json::Value& object);

  kube::TestControlPlane& plane_;
  std::string name_space_;
  net::EventLoop loop_{"cluster"};
  std::unique_ptr<kube::Transport> transport_;
  std::unique_ptr<kube::Client> client_;
};

}  // namespace hearth
