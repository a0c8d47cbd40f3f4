#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/process_runner.h"
#include "base/result.h"
#include "base/testing/temp_directory.h"
#include "image_archive.h"
#include "kube/testing/control_plane.h"

namespace hearth::node {

// A real node of a cluster: a kubelet and a containerd with CDI, pods in containers on a bridge
// (CNI), cgroups by class of service. Images are made on the spot; no registry is asked. For
// programs in a PrivateMachine, whose network and cgroup it uses: one node at a time. Not
// thread-safe; start it from the main thread.
class KubeletRig {
 public:
  // The node is Ready when it returns, and has the image kPauseImage. kNotFound names what is not
  // installed here. What does not start is told with the end of its log.
  static Result<std::unique_ptr<KubeletRig>> Start(kube::TestControlPlane& plane);
  // Stops the kubelet, removes all pods that are left, stops containerd, unmounts.
  ~KubeletRig();

  static constexpr const char* kPauseImage = "hearth.test/pause:1";
  // Pods can use it from now on.
  Status LoadImage(const ImageContent& image);
  // One with a shell and what belongs to it (busybox); by itself it runs until it is told to end.
  Status LoadShellImage(const std::string& name);

  const std::string& node_name() const { return node_name_; }
  // Where drivers of devices put things, as the kubelet and containerd look for them.
  std::string plugins_directory() const { return directory_ / "kubelet/plugins"; }
  std::string registration_directory() const { return directory_ / "kubelet/plugins_registry"; }
  std::string cdi_directory() const { return directory_ / "cdi"; }
  // For agents of the node: of containerd, and where pods find profiles of seccomp.
  std::string runtime_socket() const { return directory_ / "containerd.sock"; }
  std::string seccomp_directory() const { return directory_ / "kubelet/seccomp"; }
  // A directory of the node's own, for what outlives pods.
  std::string MakeDirectory(const std::string& name) const;

  // Ids of all that containerd has, running or not, also of those that only hold a pod's
  // namespaces; with a filter as its own tool takes them, of some.
  Result<std::vector<std::string>> Containers(const std::string& filter = "") const;
  // Directories of pods in the cgroup of the machine, over all hierarchies.
  static std::vector<std::string> PodCgroups();
  // The ends of both logs, for people.
  std::string LogTails() const;

 private:
  class Runtime;
  KubeletRig(kube::TestControlPlane& plane, kube::KubeBinaries binaries, std::string containerd);
  Status StartContainerd();
  Status StartKubelet();
  Status AwaitReady();
  // containerd's own tool.
  Result<std::string> Ctr(const std::vector<std::string>& arguments) const;

  kube::TestControlPlane& plane_;
  kube::KubeBinaries binaries_;
  std::string containerd_programs_;
  std::string node_name_ = "node-1";
  TempDirectory directory_;
  std::unique_ptr<Runtime> runtime_;
  std::unique_ptr<ChildProcess> containerd_;
  std::unique_ptr<ChildProcess> kubelet_;
};

}  // namespace hearth::node
