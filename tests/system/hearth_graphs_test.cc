// The commands of hearth for graphs against a real API server, also as a plugin of the real
// kubectl. The test plays operator, agent and kubelet: it makes the objects and writes their
// statuses.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <future>

#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "eventually.h"
#include "json/parse.h"
#include "json/yaml.h"
#include "kube/client/client.h"
#include "kube/testing/control_plane.h"

namespace hearth {
namespace {

using json::Value;
using kube::Object;
using kube::ResourceType;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::map<std::string, ResourceType>& Types() {
  static const std::map<std::string, ResourceType> kTypes = {
      {"DynamoGraphDeployment",
       {"nvidia.com", "v1beta1", "dynamographdeployments", "DynamoGraphDeployment", true}},
      {"DynamoCheckpoint",
       {"nvidia.com", "v1alpha1", "dynamocheckpoints", "DynamoCheckpoint", true}},
      {"PodSnapshot", {"nvidia.com", "v1alpha1", "podsnapshots", "PodSnapshot", true}},
      {"PodSnapshotContent",
       {"nvidia.com", "v1alpha1", "podsnapshotcontents", "PodSnapshotContent", false}},
      {"Event", kube::types::Events()},
      {"Secret", kube::types::Secrets()},
      {"Pod", kube::types::Pods()}};
  return kTypes;
}

constexpr const char* kGraph = R"(
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata: {name: llm}
spec:
  backendFramework: vllm
  components:
  - name: frontend
    type: frontend
    replicas: 1
    podTemplate: {spec: {containers: [{name: main, image: engine:1}]}}
  - name: worker
    type: worker
    replicas: 2
    podTemplate: {spec: {containers: [{name: main, image: engine:1, env: [{name: HF_TOKEN, value: tell-nobody-1}]}]}}
    experimental: {checkpoint: {enabled: true}}
status:
  observedGeneration: 1
  state: successful
  conditions: [{type: Ready, status: 'True', reason: all_resources_are_ready, message: fine, lastTransitionTime: '2026-11-18T08:00:00Z'}]
  components:
    frontend: {componentKind: Deployment, componentNames: [llm-frontend], replicas: 1, updatedReplicas: 1, readyReplicas: 1}
    worker: {componentKind: Deployment, componentNames: [llm-worker-1a2b3c4d], replicas: 2, updatedReplicas: 2, readyReplicas: 2}
  checkpoints: {worker: {checkpointName: checkpoint-ef54, checkpointID: ef54, ready: true}}
  startup: {restored: 1, cold: 1}
)";

constexpr const char* kCheckpoint = R"(
apiVersion: nvidia.com/v1alpha1
kind: DynamoCheckpoint
metadata:
  name: checkpoint-ef54
  labels: {nvidia.com/snapshot-checkpoint-id: ef54, nvidia.com/dynamo-graph-deployment-name: llm, nvidia.com/dynamo-component: worker}
spec:
  identity: {model: llama, backendFramework: vllm}
  job: {podTemplateSpec: {spec: {containers: [{name: main, image: engine:1}]}}}
status: {phase: Ready, checkpointID: ef54, identityHash: ef54, jobName: checkpoint-job-ef54-1, podSnapshotName: checkpoint-ef54}
---
apiVersion: nvidia.com/v1alpha1
kind: PodSnapshot
metadata: {name: checkpoint-ef54, labels: {nvidia.com/snapshot-owner: checkpoint-ef54}}
spec: {source: {podRef: {name: checkpoint-job-ef54-1-x7, containers: [main]}}}
status:
  boundSnapshotContentName: $content
  conditions: [{type: Ready, status: 'True', reason: Captured, message: '', lastTransitionTime: '2026-11-18T08:00:00Z'}]
---
apiVersion: nvidia.com/v1alpha1
kind: PodSnapshotContent
metadata: {name: $content}
spec: {snapshotRef: {namespace: $namespace, name: checkpoint-ef54}, source: {podRef: {name: checkpoint-job-ef54-1-x7, containers: [main]}, nodeName: node-1}}
status:
  artifact: {checkpointID: ef54, version: '1', sizeBytes: 12884901888, digest: 806d4d107d04c3d43561d2ed33e6b772}
  conditions: [{type: Ready, status: 'True', reason: Captured, message: '', lastTransitionTime: '2026-11-18T08:00:00Z'}]
)";

constexpr const char* kPods = R"(
apiVersion: v1
kind: Pod
metadata:
  name: llm-frontend-7d9-x2k4p
  labels: {nvidia.com/dynamo-graph-deployment-name: llm, nvidia.com/dynamo-component: frontend}
spec: {nodeName: node-1, containers: [{name: main, image: engine:1}]}
status: {phase: Running, conditions: [{type: Ready, status: 'True'}]}
---
apiVersion: v1
kind: Pod
metadata:
  name: llm-worker-1a2b3c4d-5f7-9qw8z
  labels: {nvidia.com/dynamo-graph-deployment-name: llm, nvidia.com/dynamo-component: worker}
  annotations: {hearth.dev/start: cold, hearth.dev/start-reason: not_ready}
spec:
  nodeName: node-1
  containers:
  - name: main
    image: engine:1
    args: [--api-key, tell-nobody-2, --model, llama]
    env: [{name: HF_TOKEN, value: tell-nobody-1}, {name: MODEL, value: llama}]
status: {phase: Running, conditions: [{type: Ready, status: 'True'}]}
---
apiVersion: v1
kind: Pod
metadata:
  name: llm-worker-1a2b3c4d-5f7-m3n7b
  labels: {nvidia.com/dynamo-graph-deployment-name: llm, nvidia.com/dynamo-component: worker}
  annotations:
    hearth.dev/start: restored
    hearth.dev/restored-from: ef54/1
    hearth.dev/restored-digest: 806d4d107d04c3d43561d2ed33e6b772
    hearth.dev/restore-phases: find=0.012,restore=1.734
spec: {nodeName: node-2, containers: [{name: main, image: engine:1}]}
status: {phase: Running, conditions: [{type: Ready, status: 'True'}]}
)";

class HearthGraphs : public testing::Test {
 protected:
  void SetUp() override {
    std::string why_not;
    plane_ = kube::SharedControlPlane(&why_not);
    if (plane_ == nullptr) {
      GTEST_SKIP() << why_not;
    }
    InstallDefinitions();
    ASSERT_OK_AND_ASSIGN(name_space_, plane_->NewNamespace("graphs"));
    loop_ = std::make_unique<net::EventLoop>("test");
    ASSERT_OK_AND_ASSIGN(
        transport_, kube::MakeHttpTransport(*loop_, plane_->config(), kube::ConfigSources::Real()));
    client_ = std::make_unique<kube::Client>(*transport_, RealClock());
  }

  // Once for all tests.
  void InstallDefinitions() const {
    static bool installed = false;
    if (installed) {
      return;
    }
    for (const std::string name : {"dynamographdeployments", "dynamocomponentdeployments",
                                   "dynamocheckpoints", "podsnapshots", "podsnapshotcontents"}) {
      ASSERT_OK(plane_->Kubectl(
          {"apply", "--server-side", "-f",
           fmt::format("{}/deploy/crds/nvidia.com_{}.yaml", HEARTH_SOURCE_DIR, name)}));
      ASSERT_TRUE(Eventually([&] {
        return plane_
            ->Kubectl({"wait", "--for=condition=Established", "--timeout=30s",
                       "crd/" + name + ".nvidia.com"})
            .ok();
      }));
    }
    installed = true;
  }

  static WaitLimit Enough() { return WaitLimit::For(RealClock(), std::chrono::minutes(3)); }

  // ---- The cluster.

  std::string Filled(std::string text) const {
    for (const auto& [word, value] : std::vector<std::pair<std::string, std::string>>{
             {"$namespace", name_space_}, {"$content", "podsnapshotcontent-" + name_space_}}) {
      for (size_t at = text.find(word); at != std::string::npos; at = text.find(word)) {
        text.replace(at, word.size(), value);
      }
    }
    return text;
  }

  // Makes the objects, with their statuses.
  void Put(const std::string& yaml) {
    const auto documents = json::ParseYaml(Filled(yaml));
    ASSERT_OK(documents);
    for (Value object : *documents) {
      const ResourceType& type = Types().at(object.Find("kind")->string());
      const std::string name = object.FindPath("metadata.name")->string();
      const Value status = object.Find("status") == nullptr ? Value() : *object.Find("status");
      object.Erase("status");
      const json::Blob body = object.ToBlob();
      ASSERT_OK(client_->Create(type, Space(type), body.view(), Enough()));
      if (!status.IsNull()) {
        WriteStatus(type.kind, name, status);
      }
    }
  }
  std::string Space(const ResourceType& type) const { return type.namespaced ? name_space_ : ""; }

  void Patch(const std::string& kind, const std::string& name, const Value& patch,
             const std::string& subresource) {
    const ResourceType& type = Types().at(kind);
    const json::Blob body = patch.ToBlob();
    ASSERT_OK(client_->Patch(type, {Space(type), name}, kube::PatchType::kMerge, body.view(),
                             Enough(), {.subresource = subresource}));
  }
  void WriteStatus(const std::string& kind, const std::string& name, const Value& status) {
    Patch(kind, name, Value::Object({{"status", status}}), "status");
  }
  void SetStatus(const std::string& kind, const std::string& name, const std::string& yaml) {
    const auto status = json::ParseYamlDocument(yaml);
    ASSERT_OK(status);
    WriteStatus(kind, name, *status);
  }
  Object Get(const std::string& kind, const std::string& name) const {
    return client_->Get(Types().at(kind), {name_space_, name}, Enough()).value_or(Object());
  }

  // ---- The program.

  static ProcessOutcome Start(ProcessSpec spec) {
    auto outcome = RealProcessRunner().Run(spec, Enough());
    EXPECT_OK(outcome);
    return outcome.ok() ? *std::move(outcome) : ProcessOutcome{.exit_code = -1};
  }

  ProcessOutcome Hearth(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), HEARTH_PROGRAM);
    arguments.insert(arguments.end(),
                     {"--kubeconfig", plane_->kubeconfig_path(), "-n", name_space_});
    return Start({.argv = std::move(arguments), .directory = files_.path()});
  }
  std::future<ProcessOutcome> StartHearth(const std::vector<std::string>& arguments) const {
    return std::async(std::launch::async, [this, arguments] { return Hearth(arguments); });
  }
  static Value Json(const ProcessOutcome& outcome) {
    auto value = json::ParseValue(outcome.output);
    EXPECT_OK(value);
    return value.ok() ? *std::move(value) : Value::Object();
  }

  kube::TestControlPlane* plane_ = nullptr;
  std::string name_space_;
  TempDirectory files_;
  std::unique_ptr<net::EventLoop> loop_;
  std::unique_ptr<kube::Transport> transport_;
  std::unique_ptr<kube::Client> client_;
};

TEST_F(HearthGraphs, AreListedAndShownDownToTheirPods) {
  EXPECT_THAT(Hearth({"get", "graphs"}).errors, HasSubstr("there are no graphs"));
  Put(kGraph);
  Put(kCheckpoint);
  Put(kPods);
  const ProcessOutcome list = Hearth({"get", "graphs"});
  EXPECT_EQ(list.exit_code, 0) << list.errors;
  EXPECT_THAT(list.output, AllOf(StartsWith("NAME  READY  STATE "), HasSubstr("\nllm   True ")));
  const Value one = Json(Hearth({"get", "graph", "llm", "-o", "json"}));
  EXPECT_EQ(one.Find("graphs")->items()[0].Find("restored")->Int(), 1);

  const ProcessOutcome chain = Hearth({"describe", "graph", "llm"});
  EXPECT_EQ(chain.exit_code, 0) << chain.output << chain.errors;
  for (const char* const part :
       {"graph graphs", "component worker", "checkpoint checkpoint-ef54",
        "snapshot checkpoint-ef54", "content podsnapshotcontent-", "12 GiB, digest 806d4d107d04",
        "cold: not_ready", "restored from ef54/1 (806d4d107d04), find 0.012 s, restore 1.734 s",
        "3 pods: 3 ready, 1 restored, 1 cold; 1 checkpoint: 1 ready; 0 problems"}) {
    EXPECT_THAT(chain.output, HasSubstr(part));
  }
  EXPECT_THAT(Hearth({"describe", "graph", "lmm"}).errors, HasSubstr("did you mean llm?"));
  EXPECT_EQ(Hearth({"describe", "graph", "lmm"}).exit_code, 2);
}

TEST_F(HearthGraphs, SayWhatIsStuckAndWhy) {
  Put(kGraph);
  Put(kCheckpoint);
  SetStatus(
      "DynamoCheckpoint", "checkpoint-ef54",
      "{phase: Failed, message: io_uring cannot be captured, conditions: [{type: JobCompleted, "
      "status: 'False', reason: PodSnapshotFailed, message: io_uring cannot be captured, "
      "lastTransitionTime: '2026-11-18T08:00:00Z'}]}");
  SetStatus("DynamoGraphDeployment", "llm",
            "{state: pending, conditions: [{type: Ready, status: 'False', reason: pods_not_ready, "
            "message: 'Resources not ready: worker', lastTransitionTime: '2026-11-18T08:00:00Z'}], "
            "components: {worker: {readyReplicas: 0}}}");
  Put(R"(
apiVersion: v1
kind: Pod
metadata: {name: llm-worker-a, labels: {nvidia.com/dynamo-graph-deployment-name: llm, nvidia.com/dynamo-component: worker}}
spec: {containers: [{name: main, image: engine:1}]}
status: {phase: Pending, conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable, message: no node has a GPU}]}
---
apiVersion: events.k8s.io/v1
kind: Event
metadata: {name: tells}
eventTime: '2026-11-18T08:00:00.000000Z'
reportingController: test
reportingInstance: test
action: Tell
type: Warning
reason: StorageNotFound
note: no DaemonSet says where checkpoints are kept
regarding: {apiVersion: nvidia.com/v1alpha1, kind: DynamoCheckpoint, name: checkpoint-ef54, namespace: $namespace}
)");
  const ProcessOutcome chain = Hearth({"describe", "graph", "llm"});
  EXPECT_EQ(chain.exit_code, 1) << chain.errors;
  for (const char* const part :
       {"! pods_not_ready: Resources not ready: worker",
        "! PodSnapshotFailed: io_uring cannot be captured; hearth checkpoint retry checkpoint-ef54",
        "! StorageNotFound: no DaemonSet says where checkpoints are kept (event)",
        "! Unschedulable: no node has a GPU"}) {
    EXPECT_THAT(chain.output, HasSubstr(part));
  }
  EXPECT_THAT(Hearth({"checkpoint", "show", "checkpoint-ef54"}).output,
              HasSubstr("! PodSnapshotFailed"));
}

TEST_F(HearthGraphs, CheckpointsAreCapturedAnewAndWaitedFor) {
  Put(kGraph);
  Put(kCheckpoint);
  EXPECT_THAT(Hearth({"checkpoint", "list", "--graph", "llm"}).output,
              HasSubstr("checkpoint-ef54  Ready"));
  EXPECT_EQ(Hearth({"checkpoint", "wait", "checkpoint-ef54"}).exit_code, 0);
  const ProcessOutcome refused = Hearth({"checkpoint", "retry", "checkpoint-ef54"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.errors, HasSubstr("hearth checkpoint recapture checkpoint-ef54"));

  auto capture =
      StartHearth({"checkpoint", "recapture", "checkpoint-ef54", "--wait", "-o", "json"});
  EXPECT_TRUE(Eventually([&] {
    const Object checkpoint = Get("DynamoCheckpoint", "checkpoint-ef54");
    return checkpoint.meta().annotation("nvidia.com/snapshot-artifact-version") == "2";
  }));
  SetStatus("DynamoCheckpoint", "checkpoint-ef54",
            "{phase: Creating, jobName: checkpoint-job-ef54-2}");
  SetStatus("DynamoCheckpoint", "checkpoint-ef54", "{phase: Ready}");
  const ProcessOutcome captured = capture.get();
  EXPECT_EQ(captured.exit_code, 0) << captured.errors;
  EXPECT_EQ(Json(captured).Find("version")->string(), "2");
  EXPECT_EQ(Json(captured).Find("state")->string(), "Ready");

  SetStatus("DynamoCheckpoint", "checkpoint-ef54", "{phase: Creating}");
  const ProcessOutcome late =
      Hearth({"checkpoint", "wait", "checkpoint-ef54", "--timeout", "300ms"});
  EXPECT_EQ(late.exit_code, 3) << late.errors;
  EXPECT_THAT(late.output, HasSubstr("NotYet: after 300ms it is Creating: its Job is not there"));
  SetStatus("DynamoCheckpoint", "checkpoint-ef54", "{phase: Failed, message: no room}");
  const ProcessOutcome failed = Hearth({"checkpoint", "wait", "checkpoint-ef54"});
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_THAT(failed.output, HasSubstr("no room"));
}

TEST_F(HearthGraphs, CheckpointsThatAreUsedAreDeletedByForceOnly) {
  Put(kGraph);
  Put(kCheckpoint);
  const ProcessOutcome refused = Hearth({"checkpoint", "delete", "checkpoint-ef54"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.errors, HasSubstr("is used by llm/worker"));
  EXPECT_EQ(Hearth({"checkpoint", "delete", "checkpoint-ef54", "--force", "--wait"}).exit_code, 0);
  EXPECT_EQ(Hearth({"checkpoint", "wait", "checkpoint-ef54"}).exit_code, 2);
}

TEST_F(HearthGraphs, RolloutsAreWaitedForAndRestartsAskedFor) {
  Put(kGraph);
  Put(kCheckpoint);
  EXPECT_EQ(Hearth({"rollout", "status", "llm"}).output,
            fmt::format("graph {}/llm is rolled out\n", name_space_));
  EXPECT_THAT(Hearth({"rollout", "restart", "llm", "--order", "wroker"}).errors,
              HasSubstr("did you mean worker?"));
  auto restart = StartHearth({"rollout", "restart", "llm", "--id", "monday", "--order", "worker",
                              "--order", "frontend", "--wait"});
  EXPECT_TRUE(Eventually([&] {
    const Object graph = Get("DynamoGraphDeployment", "llm");
    return graph["spec"]["restart"]["id"].Equals("monday");
  }));
  SetStatus("DynamoGraphDeployment", "llm",
            "{observedGeneration: 2, restart: {observedID: monday, phase: Restarting, inProgress: "
            "[worker]}}");
  SetStatus("DynamoGraphDeployment", "llm",
            "{restart: {observedID: monday, phase: Completed, inProgress: []}}");
  const ProcessOutcome restarted = restart.get();
  EXPECT_EQ(restarted.exit_code, 0) << restarted.output << restarted.errors;
  EXPECT_THAT(restarted.errors, HasSubstr("restart monday is"));
  const Object graph = Get("DynamoGraphDeployment", "llm");
  EXPECT_EQ(graph["spec"]["restart"]["strategy"]["order"].raw(), R"(["worker","frontend"])");
  EXPECT_THAT(Hearth({"rollout", "history", "llm"}).output,
              HasSubstr("last restart monday: Completed"));

  SetStatus("DynamoGraphDeployment", "llm",
            "{state: pending, conditions: [{type: Ready, status: 'False', reason: pods_not_ready, "
            "message: soon, lastTransitionTime: '2026-11-18T08:00:00Z'}], components: {worker: "
            "{readyReplicas: 0}}}");
  const ProcessOutcome late = Hearth({"rollout", "status", "llm", "--timeout", "3s"});
  EXPECT_EQ(late.exit_code, 3) << late.errors;
  EXPECT_THAT(late.output, AllOf(HasSubstr("component worker: 2 of 2 updated, 0 ready"),
                                 HasSubstr("! component worker: PodsMissing")));
  const ProcessOutcome now = Hearth({"rollout", "status", "llm", "--watch=false", "-o", "json"});
  EXPECT_EQ(now.exit_code, 0);
  EXPECT_EQ(Json(now).Find("state")->string(), "UnderWay");
}

TEST_F(HearthGraphs, BundlesHaveEverythingButSecrets) {
  Put(kGraph);
  Put(kCheckpoint);
  Put(kPods);
  Put(R"(
apiVersion: v1
kind: Secret
metadata: {name: tokens, labels: {nvidia.com/dynamo-graph-deployment-name: llm}}
stringData: {token: tell-nobody-3}
---
apiVersion: v1
kind: Pod
metadata: {name: hearth-operator-0, labels: {app.kubernetes.io/name: hearth-operator}}
spec: {nodeName: node-1, containers: [{name: operator, image: operator:1}]}
status: {phase: Running, containerStatuses: [{name: operator, ready: true, restartCount: 0, image: operator:1, imageID: x, state: {running: {}}}]}
)");
  const std::string file = files_ / "bundle.tar.gz";
  const ProcessOutcome outcome = Hearth({"diagnose", "llm", "--file", file, "-o", "json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.errors;
  const std::string names = Start({.argv = {"tar", "-tzf", file}}).output;
  for (const std::string part :
       {"graphs/$namespace/llm.txt",
        "objects/$namespace/dynamographdeployments.nvidia.com/llm.json",
        "objects/$namespace/pods/llm-worker-1a2b3c4d-5f7-m3n7b.json",
        "objects/$namespace/dynamocheckpoints.nvidia.com/checkpoint-ef54.json",
        "objects/cluster/podsnapshotcontents.nvidia.com/$content.json",
        "objects/$namespace/pods/hearth-operator-0.json", "events/$namespace.json", "versions.json",
        "manifest.json"}) {
    EXPECT_THAT(names, HasSubstr(Filled(part)));
  }
  const std::string all = Start({.argv = {"tar", "-xzOf", file}, .output_limit = 64 << 20}).output;
  EXPECT_THAT(all, AllOf(Not(HasSubstr("tell-nobody")), Not(HasSubstr("managedFields")),
                         Not(HasSubstr("secrets/")), HasSubstr(R"("value": "REDACTED")"),
                         HasSubstr("\"llama\""), HasSubstr("gitVersion")));
  const Value manifest = *Json(outcome).Find("manifest");
  const std::string left_out = manifest.Find("leftOut")->Write();
  EXPECT_THAT(
      left_out,
      AllOf(HasSubstr("Secrets and ConfigMaps"), HasSubstr("hearth-operator-0/operator.log"),
            HasSubstr("no pod is labelled app.kubernetes.io/component=snapshot-agent")));
  EXPECT_THAT(manifest.Find("redacted")->Write(), HasSubstr("env[HF_TOKEN]"));
  // Never over another one.
  EXPECT_EQ(Hearth({"diagnose", "llm", "--file", file}).exit_code, 2);
  EXPECT_THAT(Hearth({"diagnose", "--logs=false"}).output, StartsWith("hearth-diagnose-"));
}

TEST_F(HearthGraphs, AreSeenThroughKubectl) {
  Put(kGraph);
  const auto programs = kube::KubeBinaries::Find();
  ASSERT_OK(programs);
  const std::string folder =
      std::string(HEARTH_PROGRAM).substr(0, std::string(HEARTH_PROGRAM).rfind('/'));
  const auto kubectl = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), programs->kubectl);
    return Start({.argv = std::move(arguments),
                  .env = {{"PATH", folder + ":" + std::getenv("PATH")},
                          {"KUBECONFIG", plane_->kubeconfig_path()}}});
  };
  const ProcessOutcome list = kubectl({"hearth", "get", "graphs", "-n", name_space_});
  EXPECT_EQ(list.exit_code, 0) << list.errors;
  EXPECT_THAT(list.output, HasSubstr("\nllm   True"));
  EXPECT_THAT(kubectl({"hearth", "get", "graphs", "-A"}).output,
              AllOf(StartsWith("NAMESPACE"), HasSubstr(name_space_)));
  EXPECT_EQ(kubectl({"hearth", "describe", "graph", "nobody", "-n", name_space_}).exit_code, 2);
  EXPECT_THAT(kubectl({"hearth", "rollout", "--help"}).output,
              HasSubstr("Usage: kubectl hearth rollout"));
  EXPECT_THAT(kubectl({"plugin", "list"}).output, HasSubstr("/kubectl-hearth"));
  EXPECT_THAT(kubectl({"__complete", "hearth", "rol"}).output, StartsWith("rollout\n"));
  EXPECT_THAT(kubectl({"__complete", "hearth", "rollout", ""}).output,
              StartsWith("status\nhistory\nrestart\n:4"));
}

}  // namespace
}  // namespace hearth
