// Sets of pods that the cluster will not have: a quota that is full, a webhook that is down, things
// that others take away or put in their place, and deletions that shall leave something.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/testing/status_matchers.h"
#include "claims/versions.h"
#include "eventually.h"
#include "grove_cluster.h"
#include "json/yaml.h"
#include "kube/testing/own_port.h"

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

const kube::ResourceType& Quotas() {
  static const kube::ResourceType type{"", "v1", "resourcequotas", "ResourceQuota", true};
  return type;
}

const kube::ResourceType& ValidatingWebhooks() {
  static const kube::ResourceType type{"admissionregistration.k8s.io", "v1",
                                       "validatingwebhookconfigurations",
                                       "ValidatingWebhookConfiguration", false};
  return type;
}

// Eight pods that share a claim; `metrics` of its autoscaler may be empty.
std::string SetYaml(const std::string& metrics = "") {
  return R"(
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata: {name: serve, namespace: $namespace}
spec:
  replicas: 1
  template:
    terminationDelay: 4h0m0s
    headlessServiceConfig: {publishNotReadyAddresses: true}
    resourceClaimTemplates:
    - {name: inside, templateSpec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}}}
    resourceSharing: [{name: inside, scope: AllReplicas}]
    cliques:
    - name: worker
      spec:
        roleName: worker
        replicas: 8
        minAvailable: 1
        autoScalingConfig: {minReplicas: 1, maxReplicas: 20)" +
         metrics + R"(}
        podSpec: {containers: [{name: main, image: 'registry.k8s.io/pause:3.10'}]}
    - name: member
      spec:
        roleName: member
        replicas: 1
        minAvailable: 1
        podSpec: {containers: [{name: main, image: 'registry.k8s.io/pause:3.10'}]}
    podCliqueScalingGroups:
    - {name: gpus, replicas: 1, minAvailable: 1, cliqueNames: [member]}
)";
}

constexpr size_t kPods = 9;
constexpr const char* kWorker = "serve-0-worker";

class Refusals : public testing::Test {
 protected:
  void SetUp() override {
    std::string why_not;
    kube::TestControlPlane* plane = GroveCluster::Plane(&why_not);
    if (plane == nullptr) {
      GTEST_SKIP() << why_not;
    }
    cluster_ = std::make_unique<GroveCluster>(*plane);
  }

  size_t CountPods() {
    const auto pods = cluster_->List(Pods(), "app.kubernetes.io/part-of=serve");
    return static_cast<size_t>(std::count_if(
        pods.begin(), pods.end(), [](const auto& pod) { return !pod.meta().deleting(); }));
  }
  bool AwaitPods(size_t count = kPods) {
    return Eventually([&] { return CountPods() == count; });
  }
  std::string ReplicaFailure() {
    return cluster_->Condition(PodCliques(), kWorker, "ReplicaFailure");
  }
  int CountWrites(const std::string& method, const std::string& part) {
    const auto writes = cluster_->Writes();
    return static_cast<int>(std::count_if(writes.begin(), writes.end(), [&](const auto& write) {
      return write.starts_with(method) && write.find(part) != std::string::npos;
    }));
  }
  void MergePatch(const kube::ResourceType& type, const std::string& name, const json::Value& patch,
                  const std::string& subresource = "") {
    const json::Blob body = patch.ToBlob();
    ASSERT_OK(cluster_->client().Patch(type, {cluster_->name_space(), name},
                                       kube::PatchType::kMerge, body.view(), GroveCluster::Limit(),
                                       {.subresource = subresource}));
  }
  // What the controller of quotas would write, which this cluster does not run; counting is the
  // API server's own work.
  void LimitPods(int hard) {
    cluster_->Apply(
        "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: few, namespace: $namespace}\n"
        "spec: {hard: {pods: \"" +
        std::to_string(hard) + "\"}}\n");
    json::Value status = json::Value::Object(
        {{"hard", json::Value::Object({{"pods", std::to_string(hard)}})},
         {"used", json::Value::Object({{"pods", std::to_string(cluster_->List(Pods()).size())}})}});
    MergePatch(Quotas(), "few", json::Value::Object({{"status", std::move(status)}}), "status");
  }
  static json::Value WithoutLabel(std::string_view label) {
    json::Value patch;
    patch.MakePath("metadata.labels").Set(label, json::Value());
    return patch;
  }
  // Garbage collection learns of new kinds every half a minute, and cannot let go of what it does
  // not know: this waits until it does.
  void AwaitGarbageCollection() {
    cluster_->Apply(R"(
apiVersion: grove.io/v1alpha1
kind: PodClique
metadata:
  name: forgotten
  namespace: $namespace
  ownerReferences: [{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, name: none, uid: 00000000-0000-0000-0000-000000000000}]
spec: {roleName: r, replicas: 1, podSpec: {containers: [{name: main, image: i}]}}
)");
    ASSERT_TRUE(Eventually([&] { return !cluster_->Get(PodCliques(), "forgotten"); }));
  }
  // Long enough for several tries, without a clock: other objects are made and seen meanwhile.
  void ExpectNoMore(const std::string& method, const std::string& part) {
    const int before = CountWrites(method, part);
    for (int i = 0; i < 3; ++i) {
      json::Value patch;
      patch.MakePath("metadata.annotations")
          .Set("grove.io/reconcile-trigger", std::to_string(++triggers_));
      MergePatch(PodCliqueSets(), "serve", patch);
      const std::string gone = *cluster_->Names(Services()).begin();
      const std::string uid = cluster_->Get(Services(), gone)->meta().uid();
      cluster_->Delete(Services(), gone);
      ASSERT_TRUE(Eventually([&] {
        const auto again = cluster_->Get(Services(), gone);
        return again && again->meta().uid() != uid;
      }));
    }
    EXPECT_EQ(CountWrites(method, part), before);
  }

  int triggers_ = 0;
  std::unique_ptr<GroveCluster> cluster_;
};

TEST_F(Refusals, AFullQuotaIsNamedAndOverWhenItIsRaised) {
  LimitPods(2);
  cluster_->StartOperator();
  cluster_->Apply(SetYaml());
  EXPECT_TRUE(Eventually([&] { return ReplicaFailure() == "True QuotaExceeded"; }))
      << cluster_->Get(PodCliques(), kWorker)->view()["status"].raw();
  EXPECT_EQ(CountPods(), 2U);
  const auto clique = cluster_->Get(PodCliques(), kWorker);
  const std::string status(clique->view()["status"].raw());
  EXPECT_THAT(status, testing::HasSubstr("exceeded quota"));
  EXPECT_THAT(status, testing::HasSubstr("ERR_CREATE_POD"));

  LimitPods(100);
  EXPECT_TRUE(AwaitPods());
  EXPECT_TRUE(Eventually([&] { return ReplicaFailure().empty(); }));
}

TEST_F(Refusals, AWebhookThatIsDownIsNamedAndOverWhenItIsGone) {
  const auto port = kube::OwnPort::Take();
  ASSERT_OK(port);
  const std::string name = "down-" + cluster_->name_space();
  const auto webhook = json::ParseYamlDocument(R"(
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: )" + name + R"(}
webhooks:
- name: down.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  failurePolicy: Fail
  timeoutSeconds: 1
  clientConfig: {url: 'https://127.0.0.1:)" + std::to_string(port->number()) +
                                               R"(/'}
  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: )" +
                                               cluster_->name_space() +
                                               R"(}}
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
)");
  ASSERT_OK(webhook);
  const json::Blob body = webhook->ToBlob();
  ASSERT_OK(
      cluster_->client().Create(ValidatingWebhooks(), "", body.view(), GroveCluster::Limit()));
  // The server learns of it through its own watch.
  const auto probe = json::ParseYamlDocument(
      "{apiVersion: v1, kind: Pod, metadata: {name: probe}, "
      "spec: {containers: [{name: main, image: i}]}}");
  ASSERT_OK(probe);
  const json::Blob pod = probe->ToBlob();
  ASSERT_TRUE(Eventually([&] {
    return !cluster_->client()
                .Create(Pods(), cluster_->name_space(), pod.view(), GroveCluster::Limit(),
                        {.dry_run = true})
                .ok();
  }));
  cluster_->StartOperator();
  cluster_->Apply(SetYaml());
  EXPECT_TRUE(Eventually([&] { return ReplicaFailure() == "True WebhookUnavailable"; }))
      << cluster_->Get(PodCliques(), kWorker)->view()["status"].raw();
  // Everything else is there.
  EXPECT_EQ(cluster_->Names(Services()).size(), 1U);
  EXPECT_EQ(cluster_->Names(Claims()).size(), 1U);
  ASSERT_OK(cluster_->client().Delete(ValidatingWebhooks(), {"", name}, GroveCluster::Limit()));
  EXPECT_TRUE(AwaitPods());
  EXPECT_TRUE(Eventually([&] { return ReplicaFailure().empty(); }));
}

TEST_F(Refusals, AClaimThatLostItsLabelGetsItBackAndIsAskedForNoMore) {
  cluster_->StartOperator();
  cluster_->Apply(SetYaml());
  ASSERT_TRUE(AwaitPods());
  const auto claim = cluster_->Get(Claims(), "serve-all-inside");
  ASSERT_TRUE(claim.has_value());
  MergePatch(Claims(), "serve-all-inside", WithoutLabel("app.kubernetes.io/component"));
  EXPECT_TRUE(Eventually([&] {
    const auto now = cluster_->Get(Claims(), "serve-all-inside");
    return now && now->meta().uid() == claim->meta().uid() &&
           now->meta().label("app.kubernetes.io/component") == "resource-claim";
  }));
  ExpectNoMore("POST", "/resourceclaims");
}

TEST_F(Refusals, ARoleThatLostItsLabelGetsItBackAndIsAskedForNoMore) {
  cluster_->StartOperator();
  cluster_->Apply(SetYaml());
  ASSERT_TRUE(AwaitPods());
  MergePatch(grove::Roles(), "grove.io:pcs:serve", WithoutLabel("app.kubernetes.io/managed-by"));
  EXPECT_TRUE(Eventually([&] {
    const auto role = cluster_->Get(grove::Roles(), "grove.io:pcs:serve");
    return role && role->meta().label("app.kubernetes.io/managed-by") == "grove-operator";
  }));
  ExpectNoMore("POST", "/roles");
}

TEST_F(Refusals, MetricsThatAreDroppedGoFromTheAutoscaler) {
  cluster_->StartOperator();
  cluster_->Apply(
      SetYaml(", metrics: [{type: Resource, resource: {name: memory, target: {type: Utilization, "
              "averageUtilization: 60}}}]"));
  const auto metric = [&] {
    const auto autoscaler = cluster_->Get(HorizontalPodAutoscalers(), kWorker);
    return autoscaler ? autoscaler->view()["spec"]["metrics"].at(0)["resource"]["name"].StringOr("")
                      : "";
  };
  ASSERT_TRUE(Eventually([&] { return metric() == "memory"; }));
  cluster_->Apply(SetYaml());
  EXPECT_TRUE(Eventually([&] { return metric() == "cpu"; }))
      << "the default of the server: " << metric();
  ExpectNoMore("PATCH", "/horizontalpodautoscalers");
}

// kubectl delete --cascade=orphan
TEST_F(Refusals, ASetThatIsDeletedWithoutItsPodsLeavesThem) {
  cluster_->StartOperator();
  cluster_->Apply(SetYaml());
  ASSERT_TRUE(AwaitPods());
  ASSERT_TRUE(Eventually([&] { return !cluster_->Names(PodGangs()).empty(); }));
  AwaitGarbageCollection();
  const auto pods = cluster_->Names(Pods());
  const auto cliques = cluster_->Names(PodCliques());
  const auto gangs = cluster_->Names(PodGangs());
  ASSERT_OK(
      cluster_->plane().Kubectl({"delete", "podcliqueset", "serve", "--namespace",
                                 cluster_->name_space(), "--cascade=orphan", "--timeout=150s"}));
  EXPECT_FALSE(cluster_->Get(PodCliqueSets(), "serve").has_value());
  EXPECT_EQ(CountWrites("DELETE", ""), 0);
  // Nothing is owned by it any more, and nothing is on its way out.
  for (const auto* type :
       {&Pods(), &PodCliques(), &PodCliqueScalingGroups(), &PodGangs(), &Services(), &Claims()}) {
    for (const kube::Object& object : cluster_->List(*type)) {
      EXPECT_FALSE(object.meta().deleting()) << type->kind << " " << object.meta().name();
      for (const auto& owner : object.meta().owners()) {
        EXPECT_NE(owner.kind, "PodCliqueSet") << type->kind << " " << object.meta().name();
      }
    }
  }
  EXPECT_EQ(cluster_->Names(Pods()), pods);
  EXPECT_EQ(cluster_->Names(PodCliques()), cliques);
  EXPECT_EQ(cluster_->Names(PodGangs()), gangs);
  EXPECT_EQ(cluster_->Names(Services()).size(), 1U);
  EXPECT_EQ(cluster_->Names(Claims()).size(), 1U);

  // A set of that name takes them up again.
  cluster_->Apply(SetYaml());
  EXPECT_TRUE(Eventually([&] {
    const auto clique = cluster_->Get(PodCliques(), kWorker);
    return clique && clique->meta().controller() &&
           clique->meta().controller()->kind == "PodCliqueSet";
  }));
  EXPECT_EQ(cluster_->Names(Pods()), pods);
}

TEST_F(Refusals, WhatOnlyLooksLikeOursStaysWhenTheSetIsDeleted) {
  cluster_->StartOperator();
  cluster_->Apply(SetYaml());
  ASSERT_TRUE(AwaitPods());
  const std::string labels =
      "{app.kubernetes.io/managed-by: grove-operator, app.kubernetes.io/part-of: serve}";
  cluster_->Apply(
      "apiVersion: v1\nkind: Pod\nmetadata: {name: debug, namespace: $namespace, labels: " +
      labels +
      "}\nspec: {containers: [{name: main, image: i}]}\n---\n"
      "apiVersion: v1\nkind: Service\nmetadata: {name: metrics, namespace: $namespace, labels: " +
      labels + "}\nspec: {clusterIP: None, selector: {a: b}}\n");
  cluster_->Delete(PodCliqueSets(), "serve");
  EXPECT_TRUE(Eventually([&] { return !cluster_->Get(PodCliqueSets(), "serve"); }));
  EXPECT_TRUE(Eventually([&] { return CountPods() == 1; }));
  const auto debug = cluster_->Get(Pods(), "debug");
  EXPECT_TRUE(debug && !debug->meta().deleting());
  const auto metrics = cluster_->Get(Services(), "metrics");
  EXPECT_TRUE(metrics && !metrics->meta().deleting());
}

}  // namespace
}  // namespace hearth
