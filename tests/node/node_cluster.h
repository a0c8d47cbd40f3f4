#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/testing/temp_directory.h"
#include "kube/client/client.h"
#include "kube/testing/control_plane.h"
#include "kube/testing/own_port.h"
#include "kubelet_rig.h"
#include "net/event_loop.h"
#include "tcp_proxy.h"

namespace hearth::node {

struct OperatorSetup {
  std::string configuration = {};         // text of an OperatorConfiguration; empty: none
  std::vector<std::string> options = {};  // further options
  bool webhooks = false;                  // the API server asks it, as deploy/webhooks says
};

// A whole cluster of one real node: API server, controllers and scheduler of Kubernetes, a kubelet
// and containerd. Pods run. hearth-operator comes as a program, under its own rights. For programs
// in a PrivateMachine. Not thread-safe; start it from the main thread.
class NodeCluster {
 public:
  // The node is Ready when it returns. kNotFound names what is not installed here. `controllers`
  // of Kubernetes run beside those that every cluster here has.
  static Result<std::unique_ptr<NodeCluster>> Start(
      const std::vector<std::string>& controllers = {});
  ~NodeCluster();

  // Puts our definitions there and starts the operator.
  Status AddOperator(const OperatorSetup& setup = {});
  // Starts snapshot-agent beside the kubelet, under its own rights; artifacts are kept in that
  // directory of the node. After the operator. kNotFound: CRIU is not installed here.
  Status AddAgent(const std::string& storage);
  // Pods reach the API server from now on, where their variables say that it is.
  Status LetPodsReachTheServer();

  kube::TestControlPlane& plane() { return *plane_; }
  KubeletRig& node() { return *node_; }
  kube::Client& client() { return *client_; }
  static WaitLimit Limit();

  // What kubectl prints; a failure has what it said.
  Result<std::string> Kubectl(std::vector<std::string> args) {
    return plane_->Kubectl(std::move(args));
  }
  Status Apply(const std::string& yaml);
  // The device class of that name: whatever the example driver offers.
  Status MakeDeviceClass(const std::string& name);
  // For programs and shells that use the cluster: KUBECONFIG, and PATH with kubectl, hearth and
  // hearth-operator.
  std::vector<std::pair<std::string, std::string>> Environment() const;
  // What the hearth program says, as the administrator.
  Result<ProcessOutcome> Hearth(std::vector<std::string> args);
  // The ends of all logs, for people.
  std::string LogTails() const;

 private:
  NodeCluster() = default;
  Status Install();
  Status StartOperator(const OperatorSetup& setup);
  Status InstallWebhooks(uint16_t port);
  Result<std::string> WithoutBundle();
  // For a program of ours: as its service account.
  Result<std::string> MakeKubeconfig(const std::string& account);

  TempDirectory directory_;
  std::unique_ptr<kube::TestControlPlane> plane_;
  std::unique_ptr<KubeletRig> node_;
  net::EventLoop loop_{"node-cluster"};
  std::unique_ptr<kube::Transport> transport_;
  std::unique_ptr<kube::Client> client_;
  std::vector<kube::OwnPort> ports_;
  std::unique_ptr<ChildProcess> operator_;
  std::unique_ptr<ChildProcess> agent_;
  std::unique_ptr<TcpProxy> server_for_pods_;
};

}  // namespace hearth::node
