#include "story_cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <utility>

#include "base/file_system.h"
#include "base/strings.h"
#include "engine_image.h"
#include "json/parse.h"

namespace hearth::node {
namespace {

namespace fs = std::filesystem;

constexpr const char* kInitImage = "hearth.test/initc:1";
constexpr int kDevices = 16;
// Of Kubernetes; those that Jobs, Deployments, volumes and tokens need.
const std::vector<std::string>& Controllers() {
  static const std::vector<std::string> kNames = {
      "job-controller", "deployment-controller", "replicaset-controller",
      "persistentvolume-binder-controller", "serviceaccount-token-controller"};
  return kNames;
}

constexpr const char* kConfiguration = R"(apiVersion: operator.config.dynamo.nvidia.com/v1alpha1
kind: OperatorConfiguration
checkpoint:
  enabled: true
  storage:
    type: pvc
    pvc: {pvcName: checkpoints, basePath: /checkpoints, create: true, size: 1Gi}
)";

std::string Volume(const std::string& name_space, const std::string& directory) {
  return fmt::format(R"(apiVersion: v1
kind: PersistentVolume
metadata: {{name: checkpoints-{0}}}
spec:
  capacity: {{storage: 1Gi}}
  accessModes: [ReadWriteMany]
  persistentVolumeReclaimPolicy: Retain
  claimRef: {{namespace: {0}, name: checkpoints}}
  hostPath: {{path: {1}}}
)",
                     name_space, directory);
}

}  // namespace

bool StoryPod::ready() const {
  for (const json::View condition : object_["status"]["conditions"].items()) {
    if (condition["type"].Equals("Ready")) {
      return condition["status"].Equals("True");
    }
  }
  return false;
}

json::View StoryPod::Container(std::string_view name) const {
  for (const char* const list : {"containers", "initContainers"}) {
    for (const json::View container : object_["spec"][list].items()) {
      if (container["name"].Equals(name)) {
        return container;
      }
    }
  }
  return {};
}

json::View StoryPod::Status(std::string_view name) const {
  for (const json::View status : object_["status"]["containerStatuses"].items()) {
    if (status["name"].Equals(name)) {
      return status;
    }
  }
  return {};
}

std::string StoryPod::ContainerId(std::string_view name) const {
  const json::View status = Status(name);
  const std::string id =
      status["state"]["running"].IsObject() ? status["containerID"].StringOr("") : std::string();
  return id.substr(id.rfind('/') + 1);
}

int64_t StoryPod::Restarts(std::string_view name) const {
  return Status(name)["restartCount"].Int().value_or(0);
}

Result<std::unique_ptr<StoryCluster>> StoryCluster::Start() {
  std::unique_ptr<StoryCluster> story(new StoryCluster());
  ASSIGN_OR_RETURN(story->cluster_, NodeCluster::Start(Controllers()));
  NodeCluster& cluster = *story->cluster_;
  story->storage_ = cluster.node().MakeDirectory("checkpoints");
  RETURN_IF_ERROR(cluster.LetPodsReachTheServer());
  RETURN_IF_ERROR(LoadEngineImage(cluster.node(), kEngineImage));
  RETURN_IF_ERROR(LoadMoversImage(cluster.node(), kMoversImage));
  RETURN_IF_ERROR(LoadInitImage(cluster.node(), kInitImage));
  RETURN_IF_ERROR(cluster.MakeDeviceClass(kDeviceClass));
  ASSIGN_OR_RETURN(story->driver_, ExampleDriver::Start(cluster.plane(), cluster.node(), kDevices));
  RETURN_IF_ERROR(cluster.AddOperator({.configuration = kConfiguration,
                                       .options = {std::string("--initc-image=") + kInitImage,
                                                   "--gms-snapshots", "--log-level=debug"},
                                       .webhooks = true}));
  RETURN_IF_ERROR(cluster.AddAgent(story->storage_));
  return story;
}

Result<std::string> StoryCluster::NewNamespace(const std::string& prefix) {
  ASSIGN_OR_RETURN(const std::string name, cluster_->plane().NewNamespace(prefix));
  RETURN_IF_ERROR(cluster_->Apply(Volume(name, storage_)));
  return name;
}

Result<kube::Object> StoryCluster::Get(const std::string& kind, const std::string& name_space,
                                       const std::string& name) {
  ASSIGN_OR_RETURN(const std::string text,
                   cluster_->Kubectl({"get", kind, name, "-n", name_space, "-o", "json"}));
  ASSIGN_OR_RETURN(json::Blob blob, json::Parse(text));
  return kube::Object(std::move(blob));
}

std::vector<StoryPod> StoryCluster::Pods(const std::string& name_space,
                                         const std::string& component) {
  std::vector<StoryPod> pods;
  auto page = cluster_->client().List(
      kube::types::Pods(), name_space, NodeCluster::Limit(),
      {.label_selector = fmt::format(
           "nvidia.com/dynamo-component={},!nvidia.com/snapshot-is-checkpoint-source", component)});
  for (kube::Object& object : page.ok() ? page->items : std::vector<kube::Object>()) {
    StoryPod pod(std::move(object));
    if (!pod.deleting()) {
      pods.push_back(std::move(pod));
    }
  }
  std::sort(pods.begin(), pods.end(),
            [](const StoryPod& a, const StoryPod& b) { return a.name() < b.name(); });
  return pods;
}

int StoryCluster::KillIn(const std::string& container_id, const std::string& process) {
  int killed = 0;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
    const std::string pid = entry.path().filename();
    if (pid.find_first_not_of("0123456789") != std::string::npos) {
      continue;
    }
    const auto read = [&](const char* name) {
      return RealFileSystem().Read(entry.path() / name, 1 << 16).value_or("");
    };
    if (Trim(read("comm")) == process && read("cgroup").find(container_id) != std::string::npos &&
        ::kill(std::stoi(pid), SIGKILL) == 0) {
      ++killed;
    }
  }
  return killed;
}

std::string StoryCluster::Account(const std::string& name_space) {
  std::string text;
  for (const std::vector<std::string>& question :
       {std::vector<std::string>{"get",
                                 "dynamographdeployments,dynamocomponentdeployments,"
                                 "dynamocheckpoints,podsnapshots,podcliquesets,jobs,deployments,"
                                 "pvc",
                                 "-o", "wide", "-n", name_space},
        {"describe", "pods", "-n", name_space},
        {"get", "events", "-n", name_space, "--sort-by=.lastTimestamp"}}) {
    const auto answer = cluster_->Kubectl(question);
    text += (answer.ok() ? *answer : answer.status().ToString()) + "\n";
  }
  const std::string pods =
      cluster_->Kubectl({"get", "pods", "-n", name_space, "-o", "name"}).value_or("");
  for (const std::string_view pod : Split(pods, '\n')) {
    if (!pod.empty()) {
      text += cluster_
                  ->Kubectl({"logs", "-n", name_space, std::string(pod), "--all-containers",
                             "--prefix", "--tail=30"})
                  .value_or("") +
              "\n";
    }
  }
  return text + cluster_->LogTails();
}

}  // namespace hearth::node
