#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/process_runner.h"
#include "container_rig.h"

namespace hearth::node {

// Containers made by a containerd of our own through CRI, as a kubelet makes them: a pod for each,
// on the host's network, with labels, log and control directory. Its image is made on the spot.
class ContainerdRig : public ContainerRig {
 public:
  // kNotFound: containerd is not installed.
  static Result<std::unique_ptr<ContainerdRig>> Make();
  ~ContainerdRig() override;

  Result<Started> Start(const std::string& name, const std::vector<std::string>& argv) override;
  void Kill(const Started& container) override;
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
  Status StartContainerd();
  Status ImportImage();
  Result<std::string> UpperOf(const std::string& container) const;
  void RemovePod(const Pod& pod);
  void UnmountAll() const;
  std::string cgroup() const;  // that all pods are in
  void RemoveCgroup() const;

  std::unique_ptr<Kubelet> kubelet_;
  std::unique_ptr<ChildProcess> containerd_;
  std::unique_ptr<agent::ContainerRuntime> runtime_;
  std::vector<Pod> pods_;
};

}  // namespace hearth::node
