#include "containerd_rig.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>
#include <utility>

#include "agent/cri/cri_runtime.h"
#include "agent/cri/wire/cri.grpc.pb.h"
#include "agent/rpc/call.h"
#include "base/file_system.h"
#include "image_archive.h"
#include "unmount_below.h"

namespace hearth::node {
namespace {

namespace cri = runtime::v1;
namespace fs = std::filesystem;

constexpr const char* kImage = "hearth.test/workload:1";

WaitLimit Enough() { return WaitLimit::For(RealClock(), std::chrono::minutes(1)); }

// Nothing but what containers on overlays need, all of it in our directory.
std::string Configuration(const std::string& directory, const std::string& socket) {
  return fmt::format(R"(version = 2
root = "{0}/root"
state = "{0}/state"
disabled_plugins = ["io.containerd.internal.v1.opt", "io.containerd.snapshotter.v1.btrfs",
  "io.containerd.snapshotter.v1.zfs", "io.containerd.snapshotter.v1.devmapper",
  "io.containerd.snapshotter.v1.aufs"]
[grpc]
  address = "{1}"
[ttrpc]
  address = "{0}/ttrpc.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "{2}"
  restrict_oom_score_adj = true
  netns_mounts_under_state_dir = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "{0}/cni"
    conf_dir = "{0}/cni.d"
)",
                     directory, socket, kImage);
}

cri::PodSandboxConfig PodConfig(const agent::PodContainer& pod, const std::string& logs,
                                const std::string& cgroup, cri::NamespaceMode network) {
  cri::PodSandboxConfig config;
  config.mutable_metadata()->set_name(pod.pod_name);
  config.mutable_metadata()->set_uid(pod.pod_uid);
  config.mutable_metadata()->set_namespace_(pod.pod_namespace);
  config.set_log_directory(logs);
  config.mutable_linux()->set_cgroup_parent(cgroup);
  config.mutable_linux()->mutable_security_context()->mutable_namespace_options()->set_network(
      network);
  return config;
}

cri::ContainerConfig ContainerConfig(const agent::PodContainer& pod, const std::string& name,
                                     const std::vector<std::string>& argv,
                                     const std::string& control, cri::NamespaceMode network) {
  cri::ContainerConfig config;
  config.mutable_metadata()->set_name(pod.name);
  config.mutable_image()->set_image(kImage);
  config.mutable_command()->Assign(argv.begin(), argv.end());
  cri::Mount& mount = *config.add_mounts();
  mount.set_container_path("/snapshot-control");
  mount.set_host_path(control);
  auto& labels = *config.mutable_labels();
  labels["io.kubernetes.pod.uid"] = pod.pod_uid;
  labels["io.kubernetes.pod.name"] = pod.pod_name;
  labels["io.kubernetes.pod.namespace"] = pod.pod_namespace;
  labels["io.kubernetes.container.name"] = pod.name;
  config.set_log_path(name + ".log");
  auto& security = *config.mutable_linux()->mutable_security_context();
  security.mutable_namespace_options()->set_network(network);
  security.mutable_namespace_options()->set_pid(cri::CONTAINER);
  for (const char* const path : {"/proc/kcore", "/proc/keys", "/proc/acpi"}) {
    security.add_masked_paths(path);
  }
  for (const char* const path : {"/proc/sys", "/proc/bus"}) {
    security.add_readonly_paths(path);
  }
  return config;
}

}  // namespace

// The calls of a kubelet.
class ContainerdRig::Kubelet {
 public:
  explicit Kubelet(const std::string& socket)
      : server_(socket, RealClock()), runtime_(server_.channel()), images_(server_.channel()) {}

  Result<std::string> RunPod(const cri::PodSandboxConfig& config) {
    agent::rpc::Call call(Enough(), std::chrono::minutes(1), RealClock());
    cri::RunPodSandboxRequest request;
    *request.mutable_config() = config;
    cri::RunPodSandboxResponse answer;
    RETURN_IF_ERROR(call.Outcome(runtime_.RunPodSandbox(&call.context(), request, &answer), "pod"));
    return answer.pod_sandbox_id();
  }

  Result<std::string> Create(const std::string& sandbox, const cri::PodSandboxConfig& pod,
                             const cri::ContainerConfig& config) {
    agent::rpc::Call call(Enough(), std::chrono::minutes(1), RealClock());
    cri::CreateContainerRequest request;
    request.set_pod_sandbox_id(sandbox);
    *request.mutable_sandbox_config() = pod;
    *request.mutable_config() = config;
    cri::CreateContainerResponse answer;
    RETURN_IF_ERROR(
        call.Outcome(runtime_.CreateContainer(&call.context(), request, &answer), "create"));
    return answer.container_id();
  }

  Status Start(const std::string& container) {
    agent::rpc::Call call(Enough(), std::chrono::minutes(1), RealClock());
    cri::StartContainerRequest request;
    request.set_container_id(container);
    cri::StartContainerResponse answer;
    return call.Outcome(runtime_.StartContainer(&call.context(), request, &answer), "start");
  }

  // With all containers in it.
  Status RemovePod(const std::string& sandbox) {
    agent::rpc::Call stopping(Enough(), std::chrono::minutes(1), RealClock());
    cri::StopPodSandboxRequest stop;
    stop.set_pod_sandbox_id(sandbox);
    cri::StopPodSandboxResponse stopped;
    RETURN_IF_ERROR(stopping.Outcome(runtime_.StopPodSandbox(&stopping.context(), stop, &stopped),
                                     "stop the pod"));
    agent::rpc::Call call(Enough(), std::chrono::minutes(1), RealClock());
    cri::RemovePodSandboxRequest request;
    request.set_pod_sandbox_id(sandbox);
    cri::RemovePodSandboxResponse answer;
    return call.Outcome(runtime_.RemovePodSandbox(&call.context(), request, &answer),
                        "remove the pod");
  }

  Result<bool> HasImage() {
    server_.AwaitConnection(Enough());
    agent::rpc::Call call(Enough(), std::chrono::minutes(1), RealClock());
    cri::ImageStatusRequest request;
    request.mutable_image()->set_image(kImage);
    cri::ImageStatusResponse answer;
    RETURN_IF_ERROR(
        call.Outcome(images_.ImageStatus(&call.context(), request, &answer), "image status"));
    return answer.has_image();
  }

 private:
  agent::rpc::UnixServer server_;
  cri::RuntimeService::Stub runtime_;
  cri::ImageService::Stub images_;
};

Result<std::unique_ptr<ContainerdRig>> ContainerdRig::Make() {
  std::unique_ptr<ContainerdRig> rig(new ContainerdRig());
  RETURN_IF_ERROR(rig->StartContainerd());
  RETURN_IF_ERROR(rig->ImportImage());
  return rig;
}

ContainerdRig::ContainerdRig() : kubelet_(std::make_unique<Kubelet>(socket())) {}

ContainerdRig::~ContainerdRig() {
  for (const Pod& pod : std::exchange(pods_, {})) {
    RemovePod(pod);
  }
  if (containerd_) {
    containerd_->Stop(std::chrono::seconds(10));
  }
  UnmountBelow(directory().path());
  RemoveCgroup();
}

agent::PodContainer ContainerdRig::InPod(const std::string& name) {
  return {
      .pod_uid = "uid-" + name, .pod_name = "pod-" + name, .pod_namespace = "team", .name = "main"};
}

std::string ContainerdRig::LogOf(const std::string& name) const {
  return directory() / ("logs/" + name + ".log");
}

// The network of a pod is its own, and leads nowhere: this one only brings up its loopback.
Status ContainerdRig::MakeNetworkPlugin() const {
  fs::create_directories(directory() / "cni");
  fs::create_directories(directory() / "cni.d");
  RETURN_IF_ERROR(RealFileSystem().Write(directory() / "cni/loopback", R"(#!/bin/sh
set -e
case $CNI_COMMAND in
  VERSION) echo '{"cniVersion":"0.3.1","supportedVersions":["0.3.1"]}' ;;
  ADD)
    nsenter --net="$CNI_NETNS" ip link set lo up
    printf '{"cniVersion":"0.3.1","interfaces":[{"name":"%s","sandbox":"%s"}],' "$CNI_IFNAME" "$CNI_NETNS"
    echo '"ips":[{"version":"4","interface":0,"address":"127.0.0.1/8"}]}'
    ;;
esac
)",
                                         0755));
  RETURN_IF_ERROR(Run({"ln", "-s", "loopback", directory() / "cni/pod"}));
  return RealFileSystem().Write(directory() / "cni.d/pod.conflist",
                                R"({"cniVersion":"0.3.1","name":"pod","plugins":[{"type":"pod"}]})",
                                0644);
}

Status ContainerdRig::StartContainerd() {
  RETURN_IF_ERROR(MakeNetworkPlugin());
  fs::create_directories(directory() / "logs");
  const std::string configuration = directory() / "config.toml";
  std::ofstream(configuration) << Configuration(directory().path(), socket());
  ASSIGN_OR_RETURN(ChildProcess child,
                   ChildProcess::Start({.argv = {"containerd", "--config", configuration},
                                        .log_path = directory() / "containerd.log"}));
  containerd_ = std::make_unique<ChildProcess>(std::move(child));
  ASSIGN_OR_RETURN(runtime_, agent::MakeCriRuntime({.socket = socket()}, RealClock()));
  const WaitLimit limit = Enough();
  Result<std::string> version = runtime_->Version(limit);
  // It tells nobody when it is up.
  while (!version.ok() && containerd_->Running() && !limit.Expired(RealClock())) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    version = runtime_->Version(limit);
  }
  return version.status();
}

Status ContainerdRig::ImportImage() {
  RETURN_IF_ERROR(WriteImageArchive(
      {.name = kImage, .files = root_files(), .command = {"/bin/workload", "standby"}},
      directory() / "image.tar"));
  RETURN_IF_ERROR(Run({"ctr", "--address", socket(), "--namespace", "k8s.io", "images", "import",
                       directory() / "image.tar"}));
  // Its CRI half hears of images by events of its own.
  const WaitLimit limit = Enough();
  Result<bool> known = kubelet_->HasImage();
  while (known.ok() && !*known && !limit.Expired(RealClock())) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    known = kubelet_->HasImage();
  }
  return known.status();
}

Status ContainerdRig::Task(const std::string& verb, const Started& container) const {
  return Run({"ctr", "--address", socket(), "--namespace", "k8s.io", "tasks", verb, container.id});
}

Result<ContainerRig::Started> ContainerdRig::Start(const std::string& name,
                                                   const std::vector<std::string>& argv,
                                                   const Variables& environment) {
  Started container{.control = directory() / (name + "/control")};
  container.socket = container.control + "/api.sock";
  fs::create_directories(container.control);
  const cri::NamespaceMode network = node_network_ ? cri::NODE : cri::POD;
  agent::PodContainer known = InPod(name);
  if (const auto uid = uids_.find(name); uid != uids_.end()) {
    known.pod_uid = uid->second;
  }
  const cri::PodSandboxConfig pod = PodConfig(known, directory() / "logs", cgroup(), network);
  ASSIGN_OR_RETURN(const std::string sandbox, kubelet_->RunPod(pod));
  pods_.push_back({.sandbox = sandbox});
  cri::ContainerConfig config = ContainerConfig(known, name, argv, container.control, network);
  for (const auto& [key, value] : environment) {
    cri::KeyValue& variable = *config.add_envs();
    variable.set_key(key);
    variable.set_value(value);
  }
  ASSIGN_OR_RETURN(container.id, kubelet_->Create(sandbox, pod, config));
  pods_.back().container = container.id;
  RETURN_IF_ERROR(kubelet_->Start(container.id));
  ASSIGN_OR_RETURN(container.upper, UpperOf(container.id));
  return container;
}

// As containerd's own tool tells it.
Result<std::string> ContainerdRig::UpperOf(const std::string& container) const {
  ASSIGN_OR_RETURN(const std::string text,
                   OutputOf({"ctr", "--address", socket(), "--namespace", "k8s.io", "snapshots",
                             "mounts", "/mnt", container}));
  constexpr std::string_view kOption = "upperdir=";
  const size_t at = text.find(kOption);
  if (at == std::string::npos) {
    return InternalError("no upper directory in: " + text);
  }
  const std::string_view rest = std::string_view(text).substr(at + kOption.size());
  return std::string(rest.substr(0, rest.find_first_of(", \n")));
}

void ContainerdRig::Kill(const Started& container) {
  std::erase_if(pods_, [&](const Pod& pod) {
    if (pod.container == container.id) {
      RemovePod(pod);
      return true;
    }
    return false;
  });
}

void ContainerdRig::RemovePod(const Pod& pod) {
  const Status removed = kubelet_->RemovePod(pod.sandbox);
  EXPECT_TRUE(removed.ok()) << removed.ToString();
}

std::string ContainerdRig::cgroup() const {
  return "/" + fs::path(directory().path()).filename().string();
}

// Kubelets make the groups of pods, and remove them.
void ContainerdRig::RemoveCgroup() const {
  const fs::path top = "/sys/fs/cgroup";
  std::error_code ignored;
  fs::remove(top.string() + cgroup(), ignored);
  for (const auto& hierarchy : fs::directory_iterator(top, ignored)) {
    fs::remove(hierarchy.path().string() + cgroup(), ignored);
  }
}

}  // namespace hearth::node
