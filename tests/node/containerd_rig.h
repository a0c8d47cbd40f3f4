#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/process_runner.h"
#include "container_rig.h"

namespace hearth::node {

// Containers made by a containerd of our own through CRI, as a kubelet makes them: a pod for each,
// in a network of its own, with labels, log and control directory. Its image is made on the spot.
class ContainerdRig : public ContainerRig {
 public:
  // kNotFound: containerd is not installed.
  static Result<std::unique_ptr<ContainerdRig>> Make();
  ~ContainerdRig() override;

  Result<Started> Start(const std::string& name, const std::vector<std::string>& argv) override {
    return Start(name, argv, {});
  }
  using Variables = std::vector<std::pair<std::string, std::string>>;
  Result<Started> Start(const std::string& name, const std::vector<std::string>& argv,
                        const Variables& environment);
  void Kill(const Started& container) override;
  // The pod of that name, when it is started, is one that an API server knows.
  void UseUid(const std::string& name, const std::string& uid) { uids_[name] = uid; }
  // Pods that are started from now on are in the node's network, as with hostNetwork.
  void UseNodeNetwork() { node_network_ = true; }
  // All that is in the container, or comes into it, stands still until it is let go on.
  Status Pause(const Started& container) const { return Task("pause", container); }
  Status Resume(const Started& container) const { return Task("resume", container); }
  agent::ContainerRuntime& runtime() override { return *runtime_; }

  // What a kubelet knows of the container of that name.
  static agent::PodContainer InPod(const std::string& name);
  std::string socket() const { return directory() / "containerd.sock"; }
  std::string LogOf(const std::string& name) const;

 private:
  class Kubelet;
  struct Pod {
    std::string sandbox;
    std::string container;
  };
  ContainerdRig();
  Status MakeNetworkPlugin() const;
  Status StartContainerd();
  Status ImportImage();
  Status Task(const std::string& verb, const Started& container) const;
  Result<std::string> UpperOf(const std::string& container) const;
  void RemovePod(const Pod& pod);
  std::string cgroup() const;  // that all pods are in
  void RemoveCgroup() const;

  std::unique_ptr<Kubelet> kubelet_;
  std::unique_ptr<ChildProcess> containerd_;
  std::unique_ptr<agent::ContainerRuntime> runtime_;
  std::vector<Pod> pods_;
  bool node_network_ = false;
  std::map<std::string, std::string> uids_;
};

}  // namespace hearth::node
