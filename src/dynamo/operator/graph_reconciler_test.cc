// Graphs, components and checkpoints together over an API server in memory; the test plays Grove,
// Deployments, Jobs and agents.
#include "dynamo/operator/graph_reconciler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "controller/conditions.h"
#include "controller/testing/memory_api.h"
#include "dynamo/operator/dynamo_controllers.h"
#include "json/yaml.h"
#include "kube/client/transport.h"
#include "kube/model/object.h"
#include "pods/lists.h"

namespace hearth::dynamo {
namespace {

using json::Value;
using testing::HasSubstr;

constexpr const char* kPlainGraph = R"(
metadata: {name: g, namespace: ns, annotations: {nvidia.com/enable-grove: "false"}}
spec:
  backendFramework: vllm
  components:
  - {name: front, type: frontend, replicas: 1}
  - name: decode
    type: decode
    replicas: 2
    podTemplate:
      spec:
        containers:
        - {name: main, image: "e:1", command: [python3, -m, dynamo.vllm],
           resources: {limits: {nvidia.com/gpu: "1"}}}
)";

class Rig {
 public:
  Rig() {
    options_.graphs.storage = {
        .pvc_name = "warm-disk", .base_path = "/checkpoints", .create = true, .size = "1Gi"};
    transport_ = kube::MakeHandlerTransport(loop_, api_.Handler());
    api_.Put(kube::types::Namespaces(), kube::NewObject(kube::types::Namespaces(), {"", "ns"}));
    api_.Put(DeviceClasses(), kube::NewObject(DeviceClasses(), {"", "gpu.nvidia.com"}));
  }
  ~Rig() { Stop(); }

  DynamoOptions& options() { return options_; }

  void Start() {
    manager_ = controller::Manager::CreateWith({.name = "operator"}, *transport_, Logger::Null());
    controllers_ = std::make_unique<DynamoControllers>(*manager_, options_);
    stop_ = std::stop_source();
    thread_ = std::thread([this] { EXPECT_TRUE(manager_->Run(stop_.get_token()).ok()); });
  }
  void Stop() {
    stop_.request_stop();
    if (thread_.joinable()) {
      thread_.join();
    }
    manager_.reset();
    controllers_.reset();
  }

  // As a user applies it: what is there otherwise stays.
  void Apply(const std::string& yaml) {
    Value wanted = *json::ParseYamlDocument(yaml);
    Value object = kube::NewObject(Graphs(), {"ns", wanted.FindPath("metadata.name")->string()});
    if (const auto there = Graph()) {
      object = *there;
    }
    for (const auto& [key, value] : wanted.FindPath("metadata.annotations") == nullptr
                                        ? Value::Members()
                                        : wanted.FindPath("metadata.annotations")->members()) {
      pods::SetAnnotation(object, key, value.string());
    }
    object.Set("spec", *wanted.Find("spec"));
    api_.Put(Graphs(), std::move(object));
  }

  std::optional<Value> Graph() const { return api_.Find(Graphs(), {"ns", "g"}); }
  std::optional<Value> Component(const std::string& name) const {
    return api_.Find(ComponentDeployments(), {"ns", name});
  }
  std::vector<Value> Components() const { return api_.All(ComponentDeployments()); }
  std::optional<Value> Deployment(const std::string& name) const {
    return api_.Find(kube::types::Deployments(), {"ns", name});
  }
  std::string Worker() const {  // the newest
    const auto graph = Graph();
    return "g-decode-" + WorkersHash();
  }
  std::string WorkersHash() const {
    return std::string(pods::Annotation(*Graph(), "nvidia.com/current-worker-hash-v2"));
  }
  std::string State() const {
    const auto graph = Graph();
    const Value* const state = graph ? graph->FindPath("status.state") : nullptr;
    return state == nullptr ? "" : state->StringOr("");
  }
  std::string ConditionOf(const std::string& type) const {
    const auto graph = Graph();
    if (!graph) {
      return "";
    }
    const json::Blob blob = graph->ToBlob();
    const auto found = controller::FindCondition(blob["status"]["conditions"], type);
    return found ? found->status + " " + found->reason + " " + found->message : "";
  }

  // Every Deployment has the pods it wants.
  void RunDeployments() {
    for (Value deployment : api_.All(kube::types::Deployments())) {
      const Value replicas = *deployment.FindPath("spec.replicas");
      const Value generation = *deployment.FindPath("metadata.generation");
      Value status = Value::Object({{"observedGeneration", generation},
                                    {"replicas", replicas},
                                    {"updatedReplicas", replicas},
                                    {"readyReplicas", replicas},
                                    {"availableReplicas", replicas}});
      const Value* const now = deployment.Find("status");
      if (now == nullptr || *now != status) {
        deployment.Set("status", std::move(status));
        api_.Put(kube::types::Deployments(), std::move(deployment));
      }
    }
  }
  void AwaitRunning(const std::function<bool()>& condition) {
    Await([&] {
      RunDeployments();
      return condition();
    });
  }
  static void Await(const std::function<bool()>& condition) {
    while (!condition()) {
      std::this_thread::yield();
    }
  }
  // As captures end. The checkpoint's own controller has done its part by then, and waits.
  void SetCheckpoint(const std::string& name, const std::string& phase) {
    Value checkpoint;
    Await([&] {
      const auto found = api_.Find(Checkpoints(), {"ns", name});
      const Value* const now = found ? found->FindPath("status.phase") : nullptr;
      if (now == nullptr || now->StringOr("") != "Creating") {
        return false;
      }
      checkpoint = *found;
      return true;
    });
    checkpoint.MakePath("status.phase") = phase;
    checkpoint.MakePath("status.message") = phase == "Failed" ? "the Job died" : "";
    api_.Put(Checkpoints(), std::move(checkpoint));
  }
  std::string CheckpointName() const {
    const auto graph = Graph();
    const Value* const name =
        graph ? graph->FindPath("status.checkpoints.decode.checkpointName") : nullptr;
    return name == nullptr ? "" : name->StringOr("");
  }
  size_t Writes() const {
    size_t count = 0;
    for (const std::string& request : api_.requests()) {
      count += !request.starts_with("GET") && !request.starts_with("WATCH") &&
                       request.find("/events") == std::string::npos
                   ? 1
                   : 0;
    }
    return count;
  }

  controller::MemoryApi& api() { return api_; }

 private:
  DynamoOptions options_;
  controller::MemoryApi api_;
  net::EventLoop loop_{"rig"};
  std::unique_ptr<kube::Transport> transport_;
  std::unique_ptr<controller::Manager> manager_;
  std::unique_ptr<DynamoControllers> controllers_;
  std::stop_source stop_;
  std::thread thread_;
};

TEST(GraphReconciler, WithoutGroveEachComponentGetsADeployment) {
  Rig rig;
  rig.Apply(kPlainGraph);
  rig.Start();
  rig.AwaitRunning([&] { return rig.State() == "successful"; });
  EXPECT_EQ(rig.Components().size(), 2U);
  ASSERT_TRUE(rig.Deployment("g-front"));
  ASSERT_TRUE(rig.Deployment(rig.Worker()));
  EXPECT_TRUE(rig.api().Find(kube::types::Services(), {"ns", "g-front"}));
  EXPECT_TRUE(rig.api().Find(kube::types::ServiceAccounts(), {"ns", "g-k8s-service-discovery"}));
  EXPECT_EQ(rig.Deployment(rig.Worker())->FindPath("spec.replicas")->Int(), 2);
  EXPECT_EQ(rig.Graph()->FindPath("status.components.decode.readyReplicas")->Int(), 2);
  EXPECT_THAT(rig.ConditionOf("Ready"), HasSubstr("True all_resources_are_ready"));

  // Settled: another operator that starts writes nothing.
  rig.Stop();
  const size_t settled = rig.Writes();
  rig.Start();
  Value other = kube::NewObject(Graphs(), {"ns", "probe"});
  other.MakePath("metadata.annotations").Set("nvidia.com/enable-grove", "false");
  other.MakePath("spec.components") =
      Value::Array({Value::Object({{"name", "only"}, {"type", "frontend"}})});
  rig.api().Put(Graphs(), std::move(other));
  Rig::Await([&] { return rig.Deployment("probe-only").has_value(); });
  size_t of_graph = 0;
  const auto requests = rig.api().requests();
  for (size_t i = 0; i < requests.size(); ++i) {
    const bool write = !requests[i].starts_with("GET") && !requests[i].starts_with("WATCH");
    of_graph += write && requests[i].find("probe") == std::string::npos &&
                        requests[i].find("/events") == std::string::npos
                    ? 1
                    : 0;
  }
  EXPECT_LE(of_graph, settled + 7) << "creates of the probe carry no name";
}

// Old and new workers beside each other, until the new ones serve alone.
TEST(GraphReconciler, AChangeOfWorkersBringsUpANewGeneration) {
  Rig rig;
  rig.Apply(kPlainGraph);
  rig.Start();
  rig.AwaitRunning([&] { return rig.State() == "successful"; });
  const std::string old = rig.Worker();
  std::string changed = kPlainGraph;
  changed.replace(changed.find("e:1"), 3, "e:2");
  rig.Apply(changed);
  Rig::Await([&] { return rig.Components().size() == 3; });
  rig.AwaitRunning([&] { return rig.Worker() != old && rig.Components().size() == 2; });
  rig.AwaitRunning([&] { return rig.State() == "successful"; });
  EXPECT_FALSE(rig.Component(old));
  EXPECT_EQ(rig.Graph()->FindPath("status.rollingUpdate.phase")->string(), "Completed");
}

std::string WithCheckpoint(const std::string& policy, const std::string& more = "") {
  return std::string(kPlainGraph) +
         "    experimental: {checkpoint: {enabled: true, startupPolicy: " + policy + more + "}}\n";
}

// X4, X5, X9, X11
TEST(GraphReconciler, WorkersWaitForTheirCheckpointAndThenComeFromIt) {
  Rig rig;
  rig.Apply(WithCheckpoint("WaitForCheckpoint"));
  rig.Start();
  Rig::Await([&] { return !rig.CheckpointName().empty(); });
  rig.AwaitRunning(
      [&] { return rig.ConditionOf("Ready").find("waiting_for_checkpoint") != std::string::npos; });
  EXPECT_EQ(rig.Component(rig.Worker())->FindPath("spec.replicas")->Int(), 0);
  EXPECT_TRUE(rig.api().Find(VolumeClaims(), {"ns", "warm-disk"}));
  rig.SetCheckpoint(rig.CheckpointName(), "Ready");
  rig.AwaitRunning([&] { return rig.State() == "successful"; });
  const Value deployment = *rig.Deployment(rig.Worker());
  const Value& pod = *deployment.FindPath("spec.template");
  EXPECT_EQ(pods::Label(pod, "nvidia.com/snapshot-is-restore-target"), "true");
  EXPECT_EQ(deployment.FindPath("spec.replicas")->Int(), 2);
  EXPECT_EQ(deployment.FindPath("spec.strategy.type")->string(), "RollingUpdate");
  EXPECT_THAT(rig.ConditionOf("CheckpointReady"), HasSubstr("True"));
}

// X11: owners of templates see no change when a checkpoint becomes ready.
TEST(GraphReconciler, WorkersThatDoNotWaitAreOnlyMarked) {
  Rig rig;
  rig.Apply(WithCheckpoint("Immediate"));
  rig.Start();
  rig.AwaitRunning([&] { return rig.State() == "successful" && !rig.CheckpointName().empty(); });
  const auto candidate = [&] {
    const auto deployment = rig.Deployment(rig.Worker());
    return deployment ? std::string(pods::Annotation(*deployment->FindPath("spec.template"),
                                                     "nvidia.com/dynamo-checkpoint-name"))
                      : "";
  };
  Rig::Await([&] { return candidate() == rig.CheckpointName(); });
  EXPECT_EQ(pods::Label(*rig.Deployment(rig.Worker())->FindPath("spec.template"),
                        "nvidia.com/snapshot-is-restore-target"),
            "");
}

// W8
TEST(GraphReconciler, AFailedCheckpointIsToldToWhoWaitsForIt) {
  Rig rig;
  rig.Apply(WithCheckpoint("WaitForCheckpoint"));
  rig.Start();
  Rig::Await([&] { return !rig.CheckpointName().empty(); });
  rig.SetCheckpoint(rig.CheckpointName(), "Failed");
  Rig::Await([&] { return rig.State() == "failed"; });
  EXPECT_THAT(rig.ConditionOf("Ready"), HasSubstr("checkpoint_failed"));
  EXPECT_THAT(rig.ConditionOf("Ready"), HasSubstr("the Job died"));
}

// X4, W7: a checkpoint that users made; its coming and its being ready wake the graph.
TEST(GraphReconciler, ANamedCheckpointIsWaitedForAndNeverMade) {
  Rig rig;
  rig.Apply(WithCheckpoint("WaitForCheckpoint", ", checkpointRef: manual"));
  rig.Start();
  Rig::Await([&] { return rig.State() == "failed"; });
  EXPECT_THAT(rig.ConditionOf("Ready"), HasSubstr("DynamoCheckpoint ns/manual does not exist"));
  EXPECT_TRUE(rig.api().All(Checkpoints()).empty());
  Value manual = kube::NewObject(Checkpoints(), {"ns", "manual"});
  manual.MakePath("spec.identity") = Value::Object({{"model", "m"}, {"backendFramework", "vllm"}});
  manual.MakePath("spec.job.podTemplateSpec.spec.containers") =
      Value::Array({Value::Object({{"name", "main"}, {"image", "i"}})});
  rig.api().Put(Checkpoints(), std::move(manual));
  rig.AwaitRunning([&] { return rig.State() == "pending"; });
  rig.SetCheckpoint("manual", "Ready");
  rig.AwaitRunning([&] { return rig.State() == "successful"; });
}

// X7
TEST(GraphReconciler, DeletingAGraphDeletesItsCheckpointsAndLetsKeptOnesGo) {
  for (const bool keep : {false, true}) {
    Rig rig;
    rig.Apply(WithCheckpoint("Immediate", keep ? ", deletionPolicy: Retain" : ""));
    rig.Start();
    Rig::Await([&] { return !rig.CheckpointName().empty(); });
    const std::string name = rig.CheckpointName();
    Rig::Await([&] {
      const auto checkpoint = rig.api().Find(Checkpoints(), {"ns", name});
      return checkpoint && !rig.Graph()->FindPath("metadata.finalizers")->items().empty();
    });
    rig.api().Remove(Graphs(), {"ns", "g"});
    Rig::Await([&] { return !rig.Graph().has_value(); });
    const auto left = rig.api().Find(Checkpoints(), {"ns", name});
    if (keep) {
      ASSERT_TRUE(left);
      EXPECT_EQ(left->FindPath("metadata.deletionTimestamp"), nullptr);
      EXPECT_EQ(pods::Label(*left, "nvidia.com/dynamo-graph-deployment-name"), "");
    } else {
      EXPECT_TRUE(!left || left->FindPath("metadata.deletionTimestamp") != nullptr);
    }
  }
}

constexpr const char* kMemoryGraph = R"(
metadata: {name: g, namespace: ns}
spec:
  backendFramework: vllm
  components:
  - name: decode
    type: decode
    replicas: 2
    podTemplate:
      spec:
        containers:
        - {name: main, image: "e:1", command: [python3, -m, dynamo.vllm],
           resources: {limits: {nvidia.com/gpu: "1"}}}
    experimental: {gpuMemoryService: {mode: IntraPod}}
)";

// X1
TEST(GraphReconciler, MemoryServicesNeedClaims) {
  Rig rig;
  rig.options().graphs.features.claims = false;
  rig.Apply(kMemoryGraph);
  rig.Start();
  Rig::Await([&] { return rig.State() == "failed"; });
  EXPECT_THAT(rig.ConditionOf("Ready"), HasSubstr("requires DRA"));
}

// The class of devices comes later, and that wakes the graph.
TEST(GraphReconciler, AMissingDeviceClassIsNamedAndWaitedFor) {
  Rig rig;
  rig.api().Remove(DeviceClasses(), {"", "gpu.nvidia.com"});
  rig.Apply(kMemoryGraph);
  rig.Start();
  Rig::Await([&] { return rig.State() == "failed"; });
  EXPECT_THAT(rig.ConditionOf("Ready"), HasSubstr("DeviceClass \"gpu.nvidia.com\" not found"));
  rig.api().Put(DeviceClasses(), kube::NewObject(DeviceClasses(), {"", "gpu.nvidia.com"}));
  Rig::Await([&] { return rig.State() == "pending"; });
}

// W10, X2: the content is in the template's name; one that nobody has any more goes.
TEST(GraphReconciler, ThroughGroveTheSetIsMadeScaledAndJudged) {
  Rig rig;
  rig.Apply(kMemoryGraph);
  rig.Start();
  Rig::Await([&] { return rig.api().Find(CliqueSets(), {"ns", "g"}).has_value(); });
  ASSERT_EQ(rig.api().All(ClaimTemplates()).size(), 1U);
  EXPECT_TRUE(rig.api().Find(kube::types::Services(), {"ns", "g-decode"}));

  // Grove makes the clique.
  Value clique = kube::NewObject(Cliques(), {"ns", "g-0-decode"});
  pods::SetLabel(clique, "app.kubernetes.io/part-of", "g");
  clique.MakePath("spec.replicas") = 2;
  clique.Set("status", Value::Object({{"observedGeneration", 1},
                                      {"replicas", 2},
                                      {"updatedReplicas", 2},
                                      {"readyReplicas", 2},
                                      {"scheduledReplicas", 2}}));
  rig.api().Put(Cliques(), std::move(clique));
  Rig::Await([&] { return rig.State() == "successful"; });
  EXPECT_EQ(rig.Graph()->FindPath("status.components.decode.componentKind")->string(), "PodClique");

  // The set keeps the number it was made with; the clique is scaled by itself.
  std::string more = kMemoryGraph;
  more.replace(more.find("replicas: 2"), 11, "replicas: 5");
  rig.Apply(more);
  Rig::Await([&] {
    const auto requests = rig.api().requests();
    return std::any_of(requests.begin(), requests.end(), [](const std::string& request) {
      return request.ends_with("podcliques/g-0-decode/scale");
    });
  });
  const Value set = *rig.api().Find(CliqueSets(), {"ns", "g"});
  EXPECT_EQ(set.FindPath("spec.template.cliques")->items()[0].FindPath("spec.replicas")->Int(), 2);
}

}  // namespace
}  // namespace hearth::dynamo
