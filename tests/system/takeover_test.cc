// A cluster that Grove's own operator has looked after: its objects as it writes them, under its
// name, and then ours (8.4).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "claims/versions.h"
#include "eventually.h"
#include "grove_cluster.h"
#include "json/yaml.h"

namespace hearth {
namespace {

using grove::HorizontalPodAutoscalers;
using grove::PodCliques;
using grove::PodCliqueScalingGroups;
using grove::PodCliqueSets;
using grove::PodGangs;
using kube::types::Pods;
using kube::types::Services;

const kube::ResourceType& Claims() { return claims::ResourceClaims(claims::ApiVersion::kV1); }

// What a user has written, with what its webhooks filled in. `$scaling` and `$annotations` change.
std::string SetYaml(bool changed) {
  std::string text = R"(
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata: {name: up, namespace: $namespace}
spec:
  replicas: 1
  template:
    terminationDelay: 4h0m0s
    cliqueStartupType: CliqueStartupTypeAnyOrder
    headlessServiceConfig: {publishNotReadyAddresses: $publish}
    resourceClaimTemplates:
    - {name: inside, templateSpec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}}}
    cliques:
    - name: router
      annotations: {note: kept}
      spec:
        roleName: router
        replicas: 1
        minAvailable: 1
        autoScalingConfig: {minReplicas: 1, maxReplicas: 3$metrics}
        podSpec:
          restartPolicy: Always
          terminationGracePeriodSeconds: 30
          containers: [{name: main, image: 'registry.k8s.io/pause:3.10'}]
    - name: worker
      spec:
        roleName: worker
        replicas: 1
        minAvailable: 1
        podSpec:
          restartPolicy: Always
          terminationGracePeriodSeconds: 30
          containers: [{name: main, image: 'registry.k8s.io/pause:3.10'}]
    podCliqueScalingGroups:
    - name: gpus
      replicas: 1
      minAvailable: 1
      cliqueNames: [worker]
      annotations: {stays: here$annotation}
      resourceSharing: [{name: inside, scope: PerReplica}]
)";
  const auto put = [&text](const std::string& placeholder, const std::string& value) {
    text.replace(text.find(placeholder), placeholder.size(), value);
  };
  put("$publish", changed ? "false" : "true");
  put("$metrics", changed ? ""
                          : ", metrics: [{type: Resource, resource: {name: memory, target: {type: "
                            "Utilization, averageUtilization: 60}}}]");
  put("$annotation", changed ? "" : ", goes: away");
  return text;
}

// The parts, in the order in which they are made. `$uid(name)` is the uid of one that was.
struct UpstreamObject {
  const kube::ResourceType& type;
  std::string name;
  std::string labels;    // besides those that all have
  std::string owner;     // "Kind/name"
  std::string metadata;  // more of it
  std::string content;
};

const char* const kPodSpec = R"(
  restartPolicy: Always
  terminationGracePeriodSeconds: 30
  containers:
  - {name: main, image: 'registry.k8s.io/pause:3.10', resources: {}$env})";

std::string Indented(std::string text, const std::string& env) {
  text.replace(text.find("$env"), 4, env);
  for (size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1)) {
    text.insert(at + 1, "  ");
  }
  return text;
}

constexpr const char* kGroupEnv =
    ", env: [{name: GROVE_PCSG_NAME, valueFrom: {fieldRef: {apiVersion: v1, fieldPath: "
    "\"metadata.labels['grove.io/podcliquescalinggroup']\"}}}, {name: "
    "GROVE_PCSG_TEMPLATE_NUM_PODS, value: \"1\"}, {name: GROVE_PCSG_INDEX, valueFrom: {fieldRef: "
    "{apiVersion: v1, fieldPath: "
    "\"metadata.labels['grove.io/podcliquescalinggroup-replica-index']\"}}}]";

std::vector<UpstreamObject> UpstreamObjects() {
  const std::string set = "PodCliqueSet/up";
  const std::string router =
      "app.kubernetes.io/name: up-0-router, app.kubernetes.io/component: pcs-podclique, "
      "grove.io/podcliqueset-replica-index: \"0\", grove.io/podgang: up-0, "
      "grove.io/pod-template-hash: fb5c8d2x";
  const std::string worker =
      "app.kubernetes.io/name: up-0-gpus-0-worker, app.kubernetes.io/component: pcsg-podclique, "
      "grove.io/podcliqueset-replica-index: \"0\", grove.io/podgang: up-0, "
      "grove.io/podcliquescalinggroup: up-0-gpus, "
      "grove.io/podcliquescalinggroup-replica-index: \"0\", grove.io/pod-template-hash: wz7kq94";
  const std::string clique_finalizer = ", finalizers: [grove.io/podclique.grove.io]";
  const std::string scaling =
      "{minReplicas: 1, maxReplicas: 3, metrics: [{type: Resource, resource: {name: memory, "
      "target: {type: Utilization, averageUtilization: 60}}}]}";
  const std::string pod_labels = ", grove.io/podclique-pod-index: \"0\", grove.io/podclique: ";
  return {
      {kube::types::ServiceAccounts(), "up",
       "app.kubernetes.io/name: up, app.kubernetes.io/component: pod-service-account", set, "",
       "automountServiceAccountToken: true"},
      {grove::Roles(), "grove.io:pcs:up",
       "app.kubernetes.io/name: grove.io-pcs-up, app.kubernetes.io/component: pod-role", set, "",
       "rules: [{apiGroups: [\"\"], resources: [pods, pods/status], verbs: [get, list, watch]}]"},
      {grove::RoleBindings(), "grove.io:pcs:up",
       "app.kubernetes.io/name: grove.io-pcs-up, app.kubernetes.io/component: pod-role-binding",
       set, "",
       "roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: 'grove.io:pcs:up'}\n"
       "subjects: [{kind: ServiceAccount, name: up, namespace: $namespace}]"},
      {kube::types::Secrets(), "up-ic-sat",
       "app.kubernetes.io/name: up-ic-sat, app.kubernetes.io/component: pod-sa-token-secret", set,
       ", annotations: {kubernetes.io/service-account.name: up}",
       "type: kubernetes.io/service-account-token"},
      {Services(), "up-0",
       "app.kubernetes.io/name: up-0, app.kubernetes.io/component: pcs-headless-service, "
       "grove.io/podcliqueset-replica-index: \"0\"",
       set, "",
       "spec: {clusterIP: None, publishNotReadyAddresses: true, selector: "
       "{app.kubernetes.io/managed-by: grove-operator, app.kubernetes.io/part-of: up, "
       "grove.io/podcliqueset-replica-index: \"0\"}}"},
      {HorizontalPodAutoscalers(), "up-0-router",
       "app.kubernetes.io/name: up-0-router, app.kubernetes.io/component: pcs-hpa", set, "",
       "spec: {scaleTargetRef: {apiVersion: grove.io/v1alpha1, kind: PodClique, name: "
       "up-0-router}, " +
           scaling.substr(1)},
      {PodCliques(), "up-0-router", router, set, clique_finalizer + ", annotations: {note: kept}",
       "spec:\n  roleName: router\n  replicas: 1\n  minAvailable: 1\n  autoScalingConfig: " +
           scaling + "\n  podSpec:" + Indented(kPodSpec, "")},
      {PodCliqueScalingGroups(), "up-0-gpus",
       "app.kubernetes.io/name: up-0-gpus, app.kubernetes.io/component: "
       "pcs-podcliquescalinggroup, grove.io/podcliqueset-replica-index: \"0\"",
       set,
       ", finalizers: [grove.io/podcliquescalinggroup.grove.io], annotations: {stays: here, goes: "
       "away}",
       "spec: {replicas: 1, minAvailable: 1, cliqueNames: [worker]}"},
      {Claims(), "up-0-gpus-0-inside",
       "app.kubernetes.io/component: resource-claim, grove.io/podcliquescalinggroup: up-0-gpus, "
       "grove.io/podcliquescalinggroup-replica-index: \"0\"",
       "PodCliqueScalingGroup/up-0-gpus", "",
       "spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}"},
      {PodCliques(), "up-0-gpus-0-worker", worker, "PodCliqueScalingGroup/up-0-gpus",
       clique_finalizer,
       "spec:\n  roleName: worker\n  replicas: 1\n  minAvailable: 1\n  podSpec:" +
           Indented(kPodSpec, kGroupEnv)},
      {Pods(), "up-0-router-b5vxq", router + pod_labels + "up-0-router", "PodClique/up-0-router",
       ", annotations: {note: kept}",
       "spec: {hostname: up-0-router-0, subdomain: up-0, containers: [{name: main, image: i}]}"},
      {Pods(), "up-0-gpus-0-worker-7hk2c", worker + pod_labels + "up-0-gpus-0-worker",
       "PodClique/up-0-gpus-0-worker", "",
       "spec: {hostname: up-0-gpus-0-worker-0, subdomain: up-0, resourceClaims: [{name: "
       "up-0-gpus-0-inside, resourceClaimName: up-0-gpus-0-inside}], containers: [{name: main, "
       "image: i, resources: {claims: [{name: up-0-gpus-0-inside}]}}]}"},
      {PodGangs(), "up-0",
       "app.kubernetes.io/component: podgang, grove.io/scheduler-name: default-scheduler", set, "",
       "spec: {podgroups: [{name: up-0-router, minReplicas: 1, podReferences: [{namespace: "
       "$namespace, name: up-0-router-b5vxq}]}, {name: up-0-gpus-0-worker, minReplicas: 1, "
       "podReferences: [{namespace: $namespace, name: up-0-gpus-0-worker-7hk2c}]}]}"},
  };
}

class Takeover : public testing::Test {
 protected:
  void SetUp() override {
    std::string why_not;
    kube::TestControlPlane* plane = GroveCluster::Plane(&why_not);
    if (plane == nullptr) {
      GTEST_SKIP() << why_not;
    }
    cluster_ = std::make_unique<GroveCluster>(*plane);
    upstream_ =
        std::make_unique<kube::Client>(cluster_->client().transport(), RealClock(),
                                       kube::ClientOptions{.field_manager = "grove-operator"});
  }

  std::string Filled(std::string text) const {
    const std::string placeholder = "$namespace";
    for (size_t at = text.find(placeholder); at != std::string::npos; at = text.find(placeholder)) {
      text.replace(at, placeholder.size(), cluster_->name_space());
    }
    return text;
  }
  static json::Blob Yaml(const std::string& text) {
    const auto value = json::ParseYamlDocument(text);
    EXPECT_TRUE(value.ok()) << value.status().message() << "\n" << text;
    return value.ok() ? value->ToBlob() : json::Value().ToBlob();
  }
  void Create(const UpstreamObject& object) {
    const std::string owner = object.owner.substr(object.owner.find('/') + 1);
    const std::string kind = object.owner.substr(0, object.owner.find('/'));
    std::string text =
        "apiVersion: " + object.type.ApiVersion() + "\nkind: " + object.type.kind +
        "\nmetadata: {name: '" + object.name +
        "', namespace: $namespace, labels: {app.kubernetes.io/managed-by: "
        "grove-operator, app.kubernetes.io/part-of: up, " +
        object.labels + "}, ownerReferences: [{apiVersion: grove.io/v1alpha1, kind: " + kind +
        ", name: " + owner + ", uid: " + uids_[object.owner] +
        ", controller: true, blockOwnerDeletion: true}]" + object.metadata + "}\n" + object.content;
    const json::Blob body = Yaml(Filled(text));
    const auto created =
        upstream_->Create(object.type, cluster_->name_space(), body.view(), GroveCluster::Limit());
    ASSERT_TRUE(created.ok()) << created.status().message() << "\n" << text;
    uids_[object.type.kind + "/" + object.name] = created->meta().uid();
  }
  void Patch(const kube::ResourceType& type, const std::string& name, const std::string& yaml,
             const std::string& subresource = "") {
    PatchAs(*upstream_, type, name, yaml, subresource);
  }
  void PatchAs(kube::Client& client, const kube::ResourceType& type, const std::string& name,
               const std::string& yaml, const std::string& subresource = "") {
    const json::Blob body = Yaml(yaml);
    ASSERT_OK(client.Patch(type, {cluster_->name_space(), name}, kube::PatchType::kMerge,
                           body.view(), GroveCluster::Limit(), {.subresource = subresource}));
  }
  static constexpr const char* kWords = "as upstream says it";
  static std::string Condition(const std::string& type, const std::string& status,
                               const std::string& reason) {
    return "{type: " + type + ", status: \"" + status + "\", reason: " + reason +
           ", message: " + kWords + ", lastTransitionTime: \"2026-01-01T00:00:00Z\"}";
  }

  // Everything that there is, and nothing left to do for who made it.
  void MakeUpstreamWorld() {
    cluster_->Apply(SetYaml(false));
    const auto set = cluster_->Get(PodCliqueSets(), "up");
    ASSERT_TRUE(set.has_value());
    uids_["PodCliqueSet/up"] = set->meta().uid();
    Patch(PodCliqueSets(), "up", "metadata: {finalizers: [grove.io/podcliqueset.grove.io]}");
    for (const UpstreamObject& object : UpstreamObjects()) {
      Create(object);
    }
    const std::string clique_status =
        R"(
status:
  observedGeneration: 1
  replicas: 1
  readyReplicas: 1
  updatedReplicas: 1
  scheduleGatedReplicas: 0
  scheduledReplicas: 1
  currentPodCliqueSetGenerationHash: d6h4v8
  conditions: [)" +
        Condition("PodCliqueScheduled", "True", "SufficientScheduledPods") + ", " +
        Condition("MinAvailableBreached", "False", "SufficientReadyPods") + "]\n";
    const std::string selector =
        "  hpaPodSelector: app.kubernetes.io/managed-by=grove-operator,app.kubernetes.io/"
        "part-of=up,grove.io/podclique=up-0-router\n";
    // W30: an error of long ago that nobody took away.
    const std::string error =
        "  lastErrors: [{code: ERR_LIST_POD, description: long ago, observedAt: "
        "\"2026-01-01T00:00:00Z\"}]\n";
    Patch(PodCliques(), "up-0-router",
          clique_status + "  currentPodTemplateHash: fb5c8d2x\n" + selector + error, "status");
    Patch(PodCliques(), "up-0-gpus-0-worker", clique_status + "  currentPodTemplateHash: wz7kq94\n",
          "status");
    Patch(PodCliqueScalingGroups(), "up-0-gpus",
          R"(
status:
  observedGeneration: 1
  replicas: 1
  scheduledReplicas: 1
  availableReplicas: 1
  updatedReplicas: 1
  selector: app.kubernetes.io/managed-by=grove-operator,app.kubernetes.io/part-of=up,grove.io/podcliquescalinggroup=up-0-gpus
  currentPodCliqueSetGenerationHash: d6h4v8
  conditions: [)" +
              Condition("MinAvailableBreached", "False",
                        "SufficientAvailablePodCliqueScalingGroupReplicas") +
              "]\n",
          "status");
    Patch(PodGangs(), "up-0",
          "status: {phase: Pending, conditions: [" +
              Condition("Initialized", "True", "PodGangPodsCreated") + "]}",
          "status");
    Patch(PodCliqueSets(), "up", R"(
status:
  observedGeneration: 1
  replicas: 1
  availableReplicas: 1
  updatedReplicas: 1
  currentGenerationHash: d6h4v8
  hpaPodSelector: app.kubernetes.io/managed-by=grove-operator,app.kubernetes.io/part-of=up
)",
          "status");
    cluster_->RunPods();
  }

  bool IsTakenOver() {
    const auto set = cluster_->Get(PodCliqueSets(), "up");
    const auto router = cluster_->Get(PodCliques(), "up-0-router");
    const auto worker = cluster_->Get(PodCliques(), "up-0-gpus-0-worker");
    return set && router &&
           set->view()["status"]["currentGenerationHash"].StringOr("").starts_with("c1-") &&
           set->view()["status"]["availableReplicas"].Int() == 1 && worker &&
           router->view()["status"]["lastErrors"].size() == 0 &&
           worker->view()["status"]["lastErrors"].size() == 0 &&
           router->view()["status"].raw().find(kWords) == std::string_view::npos &&
           worker->view()["status"].raw().find(kWords) == std::string_view::npos;
  }
  // A pod of it that is made again shows that everything was looked at.
  void AwaitAnotherPod() {
    const auto pods = [this] { return cluster_->Names(Pods(), "grove.io/podclique=up-0-router"); };
    const auto before = pods();
    ASSERT_EQ(before.size(), 1U);
    cluster_->Delete(Pods(), *before.begin());
    ASSERT_TRUE(Eventually([&] {
      cluster_->RunPods();
      const auto now = pods();
      const auto clique = cluster_->Get(PodCliques(), "up-0-router");
      return now.size() == 1 && now != before && clique &&
             clique->view()["status"]["readyReplicas"].Int() == 1 && IsTakenOver();
    }));
  }

  std::unique_ptr<GroveCluster> cluster_;
  std::unique_ptr<kube::Client> upstream_;
  std::map<std::string, std::string> uids_;
};

TEST_F(Takeover, WhatUpstreamMadeIsAdoptedWithoutAWrite) {
  MakeUpstreamWorld();
  cluster_->StartOperator();
  ASSERT_TRUE(Eventually([&] { return IsTakenOver(); }));
  EXPECT_OK(cluster_->StopOperator());
  // The hash and its aliases are noted, and statuses say more than before, each once.
  std::map<std::string, int> writes;
  for (const std::string& write : cluster_->Writes()) {
    const bool of_set = write.find("/podcliquesets/up") != std::string::npos;
    const bool status = write.find("/status") != std::string::npos;
    // The one status with something in it that goes is sent again after its owner was changed.
    const bool handed_over =
        write.starts_with("PATCH") && write.find("/podcliques/up-0-router") != std::string::npos;
    EXPECT_TRUE(of_set || status || handed_over) << write;
    ++writes[write.substr(0, write.find('?'))];
  }
  for (const auto& [write, count] : writes) {
    EXPECT_LE(count, 3) << write;
  }

  // Another operator has nothing to do at all.
  cluster_->faults().ForgetSent();
  cluster_->StartOperator();
  AwaitAnotherPod();
  for (const std::string& write : cluster_->Writes()) {
    const bool of_pod = write.find("/pods") != std::string::npos ||
                        write.find("/podgangs/up-0") != std::string::npos ||
                        write.find("/status") != std::string::npos;
    EXPECT_TRUE(of_pod) << write;
  }
}

TEST_F(Takeover, AStatusThatUpstreamWroteIsNotWrittenForEver) {
  MakeUpstreamWorld();
  cluster_->StartOperator();
  ASSERT_TRUE(Eventually([&] { return IsTakenOver(); }));
  EXPECT_OK(cluster_->StopOperator());
  cluster_->faults().ForgetSent();
  cluster_->StartOperator();
  for (const std::string trigger : {"1", "2", "3"}) {
    PatchAs(cluster_->client(), PodCliqueSets(), "up",
            "metadata: {annotations: {grove.io/reconcile-trigger: \"" + trigger + "\"}}");
  }
  AwaitAnotherPod();
  int statuses_of_worker = 0;
  for (const std::string& write : cluster_->Writes()) {
    statuses_of_worker += write.find("up-0-gpus-0-worker/status") != std::string::npos ? 1 : 0;
  }
  EXPECT_EQ(statuses_of_worker, 0);
}

TEST_F(Takeover, WhatIsDroppedLaterGoesAlthoughUpstreamWroteIt) {
  MakeUpstreamWorld();
  const auto pods = cluster_->Names(Pods());
  cluster_->StartOperator();
  ASSERT_TRUE(Eventually([&] { return IsTakenOver(); }));
  // A field that somebody else wrote is theirs.
  PatchAs(cluster_->client(), PodCliques(), "up-0-router",
          "metadata: {annotations: {theirs: stays}}");

  cluster_->Apply(SetYaml(true));
  EXPECT_TRUE(Eventually([&] {
    const auto clique = cluster_->Get(PodCliques(), "up-0-router");
    return clique && !clique->view()["spec"]["autoScalingConfig"]["metrics"].exists();
  })) << cluster_->Get(PodCliques(), "up-0-router")->view().raw();
  EXPECT_TRUE(Eventually([&] {
    const auto group = cluster_->Get(PodCliqueScalingGroups(), "up-0-gpus");
    return group && !group->meta().annotation("goes") && group->meta().annotation("stays");
  }));
  EXPECT_TRUE(Eventually([&] {
    const auto service = cluster_->Get(Services(), "up-0");
    return service && !service->view()["spec"]["publishNotReadyAddresses"].Bool().value_or(false);
  }));
  // The server has a default for autoscalers without metrics.
  EXPECT_TRUE(Eventually([&] {
    const auto autoscaler = cluster_->Get(HorizontalPodAutoscalers(), "up-0-router");
    return autoscaler && autoscaler->view()["spec"]["metrics"].size() == 1 &&
           autoscaler->view()["spec"]["metrics"].at(0)["resource"]["name"].Equals("cpu");
  })) << cluster_->Get(HorizontalPodAutoscalers(), "up-0-router")->view().raw();
  const auto clique = cluster_->Get(PodCliques(), "up-0-router");
  EXPECT_EQ(clique->meta().annotation("theirs").value_or(""), "stays");
  EXPECT_EQ(clique->view()["spec"]["autoScalingConfig"]["maxReplicas"].Int(), 3);
  EXPECT_EQ(cluster_->Names(Pods()), pods) << "no template has changed";
}

}  // namespace
}  // namespace hearth
