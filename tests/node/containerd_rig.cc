#include "containerd_rig.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>
#include <utility>

#include "agent/cri/cri_runtime.h"
#include "agent/cri/wire/cri.grpc.pb.h"
#include "agent/host/mount_info.h"
#include "agent/host/process_facts.h"
#include "agent/rpc/call.h"
#include "base/strings.h"
#include "json/value.h"

namespace hearth::node {
namespace {

namespace cri = runtime::v1;
namespace fs = std::filesystem;
using json::Value;

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
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "{0}/cni"
    conf_dir = "{0}/cni.d"
)",
                     directory, socket, kImage);
}

cri::PodSandboxConfig PodConfig(const std::string& name, const std::string& logs,
                                const std::string& cgroup) {
  cri::PodSandboxConfig config;
  const agent::PodContainer pod = ContainerdRig::InPod(name);
  config.mutable_metadata()->set_name(pod.pod_name);
  config.mutable_metadata()->set_uid(pod.pod_uid);
  config.mutable_metadata()->set_namespace_(pod.pod_namespace);
  config.set_log_directory(logs);
  config.mutable_linux()->set_cgroup_parent(cgroup);
  config.mutable_linux()->mutable_security_context()->mutable_namespace_options()->set_network(
      cri::NODE);
  return config;
}

cri::ContainerConfig ContainerConfig(const std::string& name, const std::vector<std::string>& argv,
                                     const std::string& control) {
  cri::ContainerConfig config;
  const agent::PodContainer pod = ContainerdRig::InPod(name);
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
  security.mutable_namespace_options()->set_network(cri::NODE);
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
  UnmountAll();
  RemoveCgroup();
}

agent::PodContainer ContainerdRig::InPod(const std::string& name) {
  return {
      .pod_uid = "uid-" + name, .pod_name = "pod-" + name, .pod_namespace = "team", .name = "main"};
}

std::string ContainerdRig::LogOf(const std::string& name) const {
  return directory() / ("logs/" + name + ".log");
}

Status ContainerdRig::StartContainerd() {
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

// An archive as `docker save` writes it: one layer, its configuration, a list of both.
Status ContainerdRig::ImportImage() {
  const std::string image = directory() / "image";
  fs::create_directories(image);
  RETURN_IF_ERROR(Run({"tar", "-C", root_files(), "-cf", image + "/layer.tar", "."}));
  ASSIGN_OR_RETURN(const std::string sum, OutputOf({"sha256sum", image + "/layer.tar"}));
  const std::string digest = "sha256:" + std::string(Split(sum, ' ').front());
  std::ofstream(image + "/config.json")
      << Value::Object(
             {{"architecture", "amd64"},
              {"os", "linux"},
              {"config", Value::Object({{"Cmd", Value::Array({"/bin/workload", "standby"})},
                                        {"Env", Value::Array({"PATH=/bin"})}})},
              {"rootfs",
               Value::Object({{"type", "layers"}, {"diff_ids", Value::Array({Value(digest)})}})}})
             .Write();
  std::ofstream(image + "/manifest.json")
      << Value::Array({Value::Object({{"Config", "config.json"},
                                      {"RepoTags", Value::Array({kImage})},
                                      {"Layers", Value::Array({"layer.tar"})}})})
             .Write();
  RETURN_IF_ERROR(Run({"tar", "-C", image, "-cf", directory() / "image.tar", "manifest.json",
                       "config.json", "layer.tar"}));
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

Result<ContainerRig::Started> ContainerdRig::Start(const std::string& name,
                                                   const std::vector<std::string>& argv) {
  Started container{.control = directory() / (name + "/control")};
  container.socket = container.control + "/api.sock";
  fs::create_directories(container.control);
  const cri::PodSandboxConfig pod = PodConfig(name, directory() / "logs", cgroup());
  ASSIGN_OR_RETURN(const std::string sandbox, kubelet_->RunPod(pod));
  pods_.push_back({.sandbox = sandbox});
  ASSIGN_OR_RETURN(container.id,
                   kubelet_->Create(sandbox, pod, ContainerConfig(name, argv, container.control)));
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

void ContainerdRig::UnmountAll() const {
  const std::string text = agent::ProcReader().MountInfo(::getpid()).value_or("");
  const auto mounts = agent::ParseMountInfo(text).value_or(std::vector<agent::MountEntry>());
  for (const agent::MountEntry& mount : mounts) {
    if (mount.mount_point.starts_with(directory().path() + "/")) {
      ::umount2(mount.mount_point.c_str(), MNT_DETACH);
    }
  }
}

}  // namespace hearth::node
