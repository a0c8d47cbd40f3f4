#include "kubelet_rig.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <utility>

#include "agent/cri/wire/cri.grpc.pb.h"
#include "agent/rpc/call.h"
#include "base/strings.h"
#include "eventually.h"
#include "image_files.h"
#include "private_machine.h"
#include "unmount_below.h"

namespace hearth::node {
namespace {

namespace cri = runtime::v1;
namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr const char* kPlugins = "/usr/lib/cni";

WaitLimit Enough() { return WaitLimit::For(RealClock(), 1min); }

Status Needs(const std::string& program, const std::string& how) {
  return ::access(program.c_str(), X_OK) == 0
             ? Status::Ok()
             : NotFoundError(fmt::format("a node needs {}: {}", program, how));
}

std::string TailOf(const std::string& log) {
  const std::string text = RealFileSystem().Read(log, 256 << 20).value_or("");
  return text.substr(text.size() > 3000 ? text.size() - 3000 : 0);
}

// Nothing but what containers on overlays need, all of it in our directory.
std::string ContainerdConfiguration(const std::string& directory) {
  return fmt::format(R"(version = 2
root = "{0}/root"
state = "{0}/state"
disabled_plugins = ["io.containerd.internal.v1.opt", "io.containerd.snapshotter.v1.btrfs",
  "io.containerd.snapshotter.v1.zfs", "io.containerd.snapshotter.v1.devmapper",
  "io.containerd.snapshotter.v1.blockfile"]
[grpc]
  address = "{0}/containerd.sock"
[ttrpc]
  address = "{0}/ttrpc.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "{1}"
  restrict_oom_score_adj = true
  enable_cdi = true
  cdi_spec_dirs = ["{0}/cdi"]
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "{2}"
    conf_dir = "{0}/cni.d"
)",
                     directory, KubeletRig::kPauseImage, kPlugins);
}

std::string NetworkConfiguration() {
  return fmt::format(R"({{"cniVersion": "0.4.0", "name": "pods", "plugins": [
  {{"type": "bridge", "bridge": "{}", "isGateway": true,
    "ipam": {{"type": "host-local", "ranges": [[{{"subnet": "{}"}}]], "routes": [{{"dst": "0.0.0.0/0"}}]}}}}]}}
)",
                     PrivateMachine::kBridge, PrivateMachine::kSubnet);
}

// A kubelet for whoever may talk to it: its network has nobody else. Nothing is evicted or
// collected for want of room, and it makes no rules of iptables.
std::string KubeletConfiguration(const std::string& directory, const std::string& cgroup) {
  return fmt::format(R"(apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
authentication: {{anonymous: {{enabled: true}}, webhook: {{enabled: false}}}}
authorization: {{mode: AlwaysAllow}}
address: {2}
containerRuntimeEndpoint: unix://{0}/containerd.sock
cgroupDriver: cgroupfs
cgroupRoot: {1}
failCgroupV1: false
failSwapOn: false
enforceNodeAllocatable: []
evictionHard: {{imagefs.available: "0%", nodefs.available: "0%", nodefs.inodesFree: "0%"}}
imageGCHighThresholdPercent: 100
localStorageCapacityIsolation: false
makeIPTablesUtilChains: false
oomScoreAdj: 0
podLogsDir: {0}/logs
resolvConf: ""
volumePluginDir: {0}/volume-plugins
)",
                     directory, cgroup, PrivateMachine::kAddress);
}

}  // namespace

// containerd, asked as a kubelet asks it.
class KubeletRig::Runtime {
 public:
  explicit Runtime(const std::string& socket)
      : server_(socket, RealClock()), runtime_(server_.channel()), images_(server_.channel()) {}

  Status Version() {
    server_.AwaitConnection(Enough());
    agent::rpc::Call call(Enough(), 1min, RealClock());
    cri::VersionResponse answer;
    return call.Outcome(runtime_.Version(&call.context(), {}, &answer), "containerd's version");
  }

  Result<bool> HasImage(const std::string& name) {
    agent::rpc::Call call(Enough(), 1min, RealClock());
    cri::ImageStatusRequest request;
    request.mutable_image()->set_image(name);
    cri::ImageStatusResponse answer;
    RETURN_IF_ERROR(
        call.Outcome(images_.ImageStatus(&call.context(), request, &answer), "image status"));
    return answer.has_image();
  }

  Status RemovePod(const std::string& id) {
    agent::rpc::Call stopping(Enough(), 1min, RealClock());
    cri::StopPodSandboxRequest stop;
    stop.set_pod_sandbox_id(id);
    cri::StopPodSandboxResponse stopped;
    RETURN_IF_ERROR(stopping.Outcome(runtime_.StopPodSandbox(&stopping.context(), stop, &stopped),
                                     "stop the pod"));
    agent::rpc::Call call(Enough(), 1min, RealClock());
    cri::RemovePodSandboxRequest request;
    request.set_pod_sandbox_id(id);
    cri::RemovePodSandboxResponse answer;
    return call.Outcome(runtime_.RemovePodSandbox(&call.context(), request, &answer),
                        "remove the pod");
  }

 private:
  agent::rpc::UnixServer server_;
  cri::RuntimeService::Stub runtime_;
  cri::ImageService::Stub images_;
};

Result<std::unique_ptr<KubeletRig>> KubeletRig::Start(kube::TestControlPlane& plane) {
  if (ThisPrivateMachine() == nullptr) {
    return NotFoundError("a node needs a machine of its own, and that needs root");
  }
  ASSIGN_OR_RETURN(kube::KubeBinaries binaries, kube::KubeBinaries::Find());
  RETURN_IF_ERROR(Needs(binaries.kubelet, "tools/kube-assets kubelet builds it"));
  const char* const containerd = std::getenv("HEARTH_CONTAINERD");
  if (containerd == nullptr) {
    return NotFoundError(
        "a node needs HEARTH_CONTAINERD, the directory that tools/containerd prints");
  }
  for (const char* const plugin : {"bridge", "host-local", "loopback"}) {
    RETURN_IF_ERROR(Needs(std::string(kPlugins) + "/" + plugin,
                          "it is in the package containernetworking-plugins"));
  }
  std::unique_ptr<KubeletRig> rig(new KubeletRig(plane, std::move(binaries), containerd));
  RETURN_IF_ERROR(rig->StartContainerd());
  const std::string files = rig->directory_ / "pause";
  fs::create_directories(files + "/bin");
  fs::copy_file(PAUSE_PROGRAM, files + "/bin/pause");
  RETURN_IF_ERROR(rig->LoadImage({.name = kPauseImage, .files = files, .command = {"/bin/pause"}}));
  RETURN_IF_ERROR(rig->StartKubelet());
  RETURN_IF_ERROR(rig->AwaitReady());
  return rig;
}

KubeletRig::KubeletRig(kube::TestControlPlane& plane, kube::KubeBinaries binaries,
                       std::string containerd)
    : plane_(plane),
      binaries_(std::move(binaries)),
      containerd_programs_(std::move(containerd)),
      runtime_(std::make_unique<Runtime>(directory_ / "containerd.sock")) {}

KubeletRig::~KubeletRig() {
  if (kubelet_) {
    kubelet_->Stop(10s);
  }
  if (containerd_ && containerd_->Running()) {
    const auto pods = Containers(R"(labels."io.cri-containerd.kind"==sandbox)");
    EXPECT_TRUE(pods.ok()) << pods.status().ToString();
    for (const std::string& pod : pods.ok() ? *pods : std::vector<std::string>()) {
      const Status removed = runtime_->RemovePod(pod);
      EXPECT_TRUE(removed.ok()) << removed.ToString();
    }
    containerd_->Stop(10s);
  }
  UnmountBelow(directory_.path());
}

Status KubeletRig::StartContainerd() {
  for (const char* const folder : {"cdi", "cni.d"}) {
    fs::create_directories(directory_ / folder);
  }
  std::ofstream(directory_ / "cni.d/10-pods.conflist") << NetworkConfiguration();
  const std::string configuration = directory_ / "containerd.toml";
  std::ofstream(configuration) << ContainerdConfiguration(directory_.path());
  // The one that is asked for, with its own shim; runc is the system's.
  const char* const path = std::getenv("PATH");
  const std::string search =
      fmt::format("{}:{}:/usr/sbin:/sbin", containerd_programs_, path == nullptr ? "" : path);
  const std::string log = directory_ / "containerd.log";
  ASSIGN_OR_RETURN(ChildProcess child,
                   ChildProcess::Start(
                       {.argv = {containerd_programs_ + "/containerd", "--config", configuration},
                        .env = {{"PATH", search}},
                        .log_path = log}));
  containerd_ = std::make_unique<ChildProcess>(std::move(child));
  // It tells nobody when it is up.
  const bool up = Eventually([&] { return !containerd_->Running() || runtime_->Version().ok(); });
  if (!up || !containerd_->Running()) {
    return UnavailableError(fmt::format("containerd {}; its log ends:\n{}",
                                        up ? "ended" : "is not ready in time", TailOf(log)));
  }
  return Status::Ok();
}

Status KubeletRig::LoadImage(const ImageContent& image) {
  const std::string archive = directory_ / "image.tar";
  RETURN_IF_ERROR(WriteImageArchive(image, archive));
  RETURN_IF_ERROR(Ctr({"images", "import", archive}));
  // Its CRI half hears of images by events of its own.
  return Eventually([&] { return runtime_->HasImage(image.name).value_or(false); })
             ? Status::Ok()
             : UnavailableError("containerd does not show " + image.name);
}

std::string KubeletRig::MakeDirectory(const std::string& name) const {
  const std::string path = directory_ / name;
  fs::create_directories(path);
  return path;
}

Status KubeletRig::LoadShellImage(const std::string& name) {
  const std::string files = directory_ / "shell";
  if (!fs::exists(files)) {
    RETURN_IF_ERROR(PutShell(files));
  }
  return LoadImage(
      {.name = name,
       .files = files,
       .command = {"/bin/sh", "-c", "trap 'exit 0' TERM; while :; do sleep 3600 & wait; done"}});
}

Status KubeletRig::StartKubelet() {
  const std::string configuration = directory_ / "kubelet.yaml";
  std::ofstream(configuration) << KubeletConfiguration(directory_.path(),
                                                       ThisPrivateMachine()->cgroup);
  ASSIGN_OR_RETURN(
      ChildProcess child,
      ChildProcess::Start({.argv = {binaries_.kubelet, "--config=" + configuration,
                                    "--kubeconfig=" + plane_.kubeconfig_path(),
                                    "--root-dir=" + directory_ / "kubelet",
                                    "--cert-dir=" + directory_ / "kubelet-certificates",
                                    "--hostname-override=" + node_name_,
                                    std::string("--node-ip=") + PrivateMachine::kAddress},
                           .log_path = directory_ / "kubelet.log"}));
  kubelet_ = std::make_unique<ChildProcess>(std::move(child));
  return Status::Ok();
}

// Ready, and without the taint that nodes begin with.
Status KubeletRig::AwaitReady() {
  const auto ready = [&] {
    return plane_
               .Kubectl(
                   {"get", "node", node_name_, "-o",
                    R"(jsonpath={.status.conditions[?(@.type=="Ready")].status}{.spec.taints})"})
               .value_or("") == "True";
  };
  const bool up = Eventually([&] { return !kubelet_->Running() || ready(); });
  if (!up || !kubelet_->Running()) {
    return UnavailableError(
        fmt::format("the kubelet {}; the node: {}\n{}", up ? "ended" : "is not ready in time",
                    plane_.Kubectl({"describe", "node", node_name_}).value_or("is not registered"),
                    LogTails()));
  }
  return Status::Ok();
}

Result<std::vector<std::string>> KubeletRig::Containers(const std::string& filter) const {
  ASSIGN_OR_RETURN(const std::string text, Ctr({"containers", "list", "--quiet", filter}));
  std::vector<std::string> ids;
  for (const std::string_view line : Split(text, '\n')) {
    if (!line.empty()) {
      ids.emplace_back(line);
    }
  }
  return ids;
}

Result<std::string> KubeletRig::Ctr(const std::vector<std::string>& arguments) const {
  ProcessSpec spec{.argv = {containerd_programs_ + "/ctr", "--address",
                            directory_ / "containerd.sock", "--namespace", "k8s.io"}};
  spec.argv.insert(spec.argv.end(), arguments.begin(), arguments.end());
  ASSIGN_OR_RETURN(ProcessOutcome outcome, RealProcessRunner().Run(spec, Enough()));
  if (!outcome.ok()) {
    return InternalError("ctr " + arguments.front() + ": " + outcome.errors);
  }
  return std::move(outcome.output);
}

std::vector<std::string> KubeletRig::PodCgroups() {
  std::vector<std::string> found;
  const PrivateMachine* const machine = ThisPrivateMachine();
  std::error_code ignored;
  const auto look = [&](const std::string& hierarchy) {
    // The kubelet removes them meanwhile: one that is gone when it is entered ends the walk with an
    // error, and all above it is looked at again.
    std::error_code error;
    do {
      error.clear();
      for (fs::recursive_directory_iterator entry(hierarchy + machine->cgroup, error), end;
           !error && entry != end; entry.increment(error)) {
        if (entry->is_directory(ignored) && entry->path().filename().string().starts_with("pod")) {
          found.push_back(entry->path());
        }
      }
    } while (error && fs::exists(hierarchy + machine->cgroup, ignored));
  };
  look("/sys/fs/cgroup");
  for (const auto& hierarchy : fs::directory_iterator("/sys/fs/cgroup", ignored)) {
    look(hierarchy.path());
  }
  return found;
}

std::string KubeletRig::LogTails() const {
  return fmt::format("kubelet's log ends:\n{}\ncontainerd's log ends:\n{}",
                     TailOf(directory_ / "kubelet.log"), TailOf(directory_ / "containerd.log"));
}

}  // namespace hearth::node
