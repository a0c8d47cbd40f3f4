#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "controller/manager.h"
#include "dynamo/operator/dynamo_controllers.h"
#include "faulty_transport.h"
#include "grove/reconcile/grove_controllers.h"
#include "json/value.h"
#include "kube/client/client.h"
#include "kube/testing/control_plane.h"

namespace hearth {

// A real API server with its garbage collection, the product's definitions and the operator's
// rights; the controllers of sets in this process, over a transport that can be broken; and a
// test's way to play everybody else: user, scheduler and kubelet. Objects are in a namespace of its
// own.
class GroveCluster {
 public:
  // Null when it cannot be had, and `why_not` says why. `more` controllers of Kubernetes run beside
  // the garbage collection.
  static kube::TestControlPlane* Plane(std::string* why_not, std::vector<std::string> more = {});

  explicit GroveCluster(kube::TestControlPlane& plane);
  ~GroveCluster();

  // The operator; a second Start after Stop is another process.
  void StartOperator(grove::GroveControllerOptions options = {});
  Status StopOperator();
  // The operator looks after graphs as well, from its next start on.
  void WithGraphs(dynamo::DynamoOptions options) { graph_options_ = std::move(options); }
  // Of the operator that runs, or of the next one.
  FaultyTransport& faults() { return *faults_; }

  // Documents of YAML; `$namespace` stands for ours.
  void Apply(const std::string& yaml);
  Status TryApply(const std::string& yaml);
  void Scale(const kube::ResourceType& type, const std::string& name, int replicas);
  void Delete(const kube::ResourceType& type, const std::string& name);
  // Plays scheduler and kubelet: pods without gates get a node and become ready.
  void RunPods();

  // Objects of ours of that type with a label of this value; all without.
  std::vector<kube::Object> List(const kube::ResourceType& type, const std::string& selector = "");
  std::set<std::string> Names(const kube::ResourceType& type, const std::string& selector = "");
  std::optional<kube::Object> Get(const kube::ResourceType& type, const std::string& name);
  // "True AllClaimsReady"; "" when there is none.
  std::string Condition(const kube::ResourceType& type, const std::string& name,
                        const std::string& condition);
  // Writes of the operator so far, events and leases excepted: "PATCH /api/v1/...".
  std::vector<std::string> Writes() const;

  kube::Client& client() { return *client_; }
  kube::TestControlPlane& plane() { return plane_; }
  const std::string& name_space() const { return name_space_; }
  static WaitLimit Limit() { return WaitLimit::For(RealClock(), std::chrono::minutes(3)); }

 private:
  kube::Config OperatorConfig();

  kube::TestControlPlane& plane_;
  std::string name_space_;
  net::EventLoop loop_{"cluster"};
  std::unique_ptr<kube::Transport> transport_;
  std::unique_ptr<kube::Client> client_;
  net::EventLoop operator_loop_{"operator"};
  std::unique_ptr<kube::Transport> operator_transport_;
  std::unique_ptr<FaultyTransport> faults_;
  std::unique_ptr<controller::Manager> manager_;
  std::unique_ptr<grove::GroveControllers> controllers_;
  std::optional<dynamo::DynamoOptions> graph_options_;
  std::unique_ptr<dynamo::DynamoControllers> graphs_;
  std::stop_source stop_;
  Status ended_;
  std::thread thread_;
};

}  // namespace hearth
