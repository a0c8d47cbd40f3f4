// Sets of pods against a real API server, under the operator's own rights: what happens when things
// go wrong in between.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "base/testing/status_matchers.h"
#include "claims/versions.h"
#include "controller/conditions.h"
#include "eventually.h"
#include "grove_cluster.h"

namespace hearth {
namespace {

using grove::PodCliques;
using grove::PodCliqueScalingGroups;
using grove::PodCliqueSets;
using kube::types::Pods;
using testing::HasSubstr;
using Names = std::set<std::string>;

const kube::ResourceType& Claims() { return claims::ResourceClaims(claims::ApiVersion::kV1); }

// A router, and a group of which each replica shares a device.
std::string SetYaml(const std::string& image = "registry.k8s.io/pause:3.10",
                    const std::string& shared_template = "inside", int replicas = 1) {
  return R"(
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata: {name: serve, namespace: $namespace}
spec:
  replicas: )" +
         std::to_string(replicas) + R"(
  template:
    terminationDelay: 4h0m0s
    headlessServiceConfig: {publishNotReadyAddresses: true}
    resourceClaimTemplates:
    - {name: inside, templateSpec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}}}
    cliques:
    - name: router
      spec:
        roleName: router
        replicas: 2
        minAvailable: 1
        podSpec: {containers: [{name: main, image: ')" +
         image + R"('}]}
    - name: worker
      spec:
        roleName: worker
        replicas: 2
        minAvailable: 2
        podSpec: {containers: [{name: main, image: ')" +
         image + R"('}]}
    podCliqueScalingGroups:
    - name: gpus
      replicas: 2
      minAvailable: 1
      cliqueNames: [worker]
      resourceSharing:
      - {name: )" +
         shared_template + R"(, scope: PerReplica}
)";
}

constexpr size_t kPods = 6;

http::Response Away() {
  http::Response response;
  response.status = 500;
  response.headers.Set("Content-Type", "application/json");
  response.body =
      R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"InternalError",)"
      R"("code":500,"message":"made up by the test"})";
  return response;
}

http::Response Refusal() {
  http::Response response = Away();
  response.status = 403;
  response.body = R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden",)"
                  R"("code":403,"message":"made up by the test"})";
  return response;
}

bool IsWrite(const http::Request& request) {
  return request.method != "GET" && request.target.find("/events") == std::string::npos;
}

class Sets : public testing::Test {
 protected:
  void SetUp() override {
    std::string why_not;
    kube::TestControlPlane* plane = GroveCluster::Plane(&why_not);
    if (plane == nullptr) {
      GTEST_SKIP() << why_not;
    }
    cluster_ = std::make_unique<GroveCluster>(*plane);
  }

  std::vector<kube::Object> LivePods(const std::string& selector = "") {
    std::vector<kube::Object> pods = cluster_->List(Pods(), selector);
    std::erase_if(pods, [](const kube::Object& pod) { return pod.meta().deleting(); });
    return pods;
  }
  bool AwaitPods(size_t count) {
    return Eventually([&] { return LivePods().size() == count; });
  }
  // Plays the node until a condition holds.
  bool RunUntil(const std::function<bool()>& condition) {
    return Eventually([&] {
      cluster_->RunPods();
      return condition();
    });
  }
  bool IsAvailable() {
    const auto set = cluster_->Get(PodCliqueSets(), "serve");
    return set && set->view()["status"]["availableReplicas"].Int() == 1 &&
           set->view()["status"]["observedGeneration"].Int() == set->meta().generation();
  }
  // Nothing is left to do, not even a gate to take away: a set is available before all of its pods
  // are ready.
  bool IsAtRest() {
    const auto pods = LivePods();
    return pods.size() == kPods && IsAvailable() &&
           std::all_of(pods.begin(), pods.end(), [](const kube::Object& pod) {
             return controller::IsTrue(pod["status"]["conditions"], "Ready");
           });
  }
  // What the set of SetYaml consists of, with nothing missing and nothing left over.
  bool IsEnd() {
    return LivePods().size() == kPods &&
           cluster_->Names(Claims()) == Names{"serve-0-gpus-0-inside", "serve-0-gpus-1-inside"} &&
           cluster_->Names(grove::PodGangs()) == Names{"serve-0", "serve-0-gpus-0"} &&
           cluster_->Names(PodCliques()) ==
               Names{"serve-0-router", "serve-0-gpus-0-worker", "serve-0-gpus-1-worker"} &&
           cluster_->Names(kube::types::Services()) == Names{"serve-0"};
  }
  bool AwaitEnd() {
    return Eventually([&] { return IsEnd(); });
  }
  // Of the writes so far: a pod, its gang, and statuses.
  void ExpectOnlyAPodIsMade() {
    for (const std::string& write : cluster_->Writes()) {
      const bool expected = write.starts_with("POST")
                                ? write.find("/pods") != std::string::npos
                                : write.find("/status") != std::string::npos ||
                                      write.find("/podgangs/serve-0") != std::string::npos;
      EXPECT_TRUE(expected) << write;
    }
    EXPECT_LT(cluster_->Writes().size(), 30U) << "statuses are written for ever";
  }
  void ExpectIndicesOnce() {
    Names hostnames;
    for (const kube::Object& pod : LivePods()) {
      const std::string hostname = pod["spec"]["hostname"].StringOr("");
      EXPECT_TRUE(hostnames.insert(hostname).second) << hostname << " stands twice";
    }
  }

  std::unique_ptr<GroveCluster> cluster_;
};

TEST_F(Sets, AnotherOperatorFindsNothingToDo) {
  cluster_->StartOperator();
  cluster_->Apply(SetYaml());
  ASSERT_TRUE(RunUntil([&] { return IsAtRest(); }));
  EXPECT_OK(cluster_->StopOperator());
  cluster_->faults().ForgetSent();

  cluster_->StartOperator();
  // A pod that is made again shows that everything was looked at.
  const std::string gone = LivePods("grove.io/podclique=serve-0-router")[0].meta().name();
  cluster_->Delete(Pods(), gone);
  ASSERT_TRUE(RunUntil([&] { return LivePods().size() == kPods && IsAvailable(); }));
  ExpectOnlyAPodIsMade();
}

// H7
TEST_F(Sets, KilledAtAnyWriteItComesToTheSameEnd) {
  cluster_->StartOperator();
  cluster_->Apply(SetYaml());
  ASSERT_TRUE(AwaitEnd());
  ASSERT_GT(cluster_->Writes().size(), 15U);
  bool all = false;  // How many statuses are written differs: ends with the run that needed fewer.
  for (int n = 1; !all; ++n) {
    SCOPED_TRACE(n);
    cluster_ = std::make_unique<GroveCluster>(cluster_->plane());
    std::atomic<int> seen = 0;
    cluster_->faults().AnswerNext(1 << 30, Away(), [&seen, n](const http::Request& request) {
      return IsWrite(request) && ++seen > n;
    });
    cluster_->StartOperator();
    cluster_->Apply(SetYaml());
    ASSERT_TRUE(Eventually([&] {
      all = seen <= n && IsEnd();
      return seen > n || all;
    })) << "after "
        << seen << " writes";
    (void)cluster_->StopOperator();
    cluster_->faults().AnswerNext(0, Away());

    cluster_->StartOperator();
    ASSERT_TRUE(AwaitEnd());
    ExpectIndicesOnce();
    EXPECT_OK(cluster_->StopOperator());
    ASSERT_TRUE(!all || n > 10) << "the end came before the " << n << "th write";
  }
}

// Another operator has them, also when they end.
TEST_F(Sets, NamespacesThatAreLeftOutAreLeftAlone) {
  cluster_->StartOperator(
      {.includes = [this](std::string_view name) { return name != cluster_->name_space(); }});
  cluster_->Apply(SetYaml());
  cluster_->Delete(PodCliqueSets(), "serve");
  EXPECT_THAT(cluster_->Writes(), testing::IsEmpty());
  ASSERT_OK(cluster_->StopOperator());
  EXPECT_THAT(cluster_->Names(PodCliques()), testing::IsEmpty());
  EXPECT_THAT(cluster_->Writes(), testing::IsEmpty());
}

// H4, W16
TEST_F(Sets, ATemplateMayComeLate) {
  cluster_->StartOperator();
  cluster_->Apply(SetYaml("registry.k8s.io/pause:3.10", "outside"));
  EXPECT_TRUE(Eventually([&] {
    return cluster_->Condition(PodCliqueScalingGroups(), "serve-0-gpus", "ResourceClaimsReady") ==
           "False TemplateNotFound";
  }));
  // Whoever needs none of them goes on.
  ASSERT_TRUE(RunUntil([&] {
    const auto router = cluster_->Get(PodCliques(), "serve-0-router");
    return router && router->view()["status"]["readyReplicas"].Int() == 2;
  }));
  for (const kube::Object& pod : LivePods("grove.io/podclique=serve-0-gpus-0-worker")) {
    EXPECT_EQ(pod["spec"]["schedulingGates"].size(), 1U);
  }
  cluster_->Apply(R"(
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: outside, namespace: $namespace}
spec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}}
)");
  EXPECT_TRUE(RunUntil([&] { return IsAvailable() && LivePods().size() == kPods; }));
  EXPECT_EQ(cluster_->Condition(PodCliqueScalingGroups(), "serve-0-gpus", "ResourceClaimsReady"),
            "True AllClaimsReady");
}

// H6
TEST_F(Sets, AClaimThatIsDeletedByHandComesBack) {
  cluster_->StartOperator();
  cluster_->Apply(SetYaml());
  ASSERT_TRUE(AwaitPods(kPods));
  const auto before = cluster_->Get(Claims(), "serve-0-gpus-1-inside");
  ASSERT_TRUE(before.has_value());
  cluster_->Delete(Claims(), "serve-0-gpus-1-inside");
  EXPECT_TRUE(Eventually([&] {
    const auto after = cluster_->Get(Claims(), "serve-0-gpus-1-inside");
    return after && after->meta().uid() != before->meta().uid();
  }));
}

// H5
TEST_F(Sets, AClaimOfSomebodyElseIsLeftAlone) {
  cluster_->Apply(R"(
apiVersion: v1
kind: ConfigMap
metadata: {name: theirs, namespace: $namespace}
)");
  const std::string uid = cluster_->Get(kube::types::ConfigMaps(), "theirs")->meta().uid();
  const std::string foreign = R"(
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata:
  name: serve-0-gpus-1-inside
  namespace: $namespace
  ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: theirs, uid: )" +
                              uid + R"(, controller: true}]
spec: {devices: {requests: [{name: other, exactly: {deviceClassName: theirs}}]}}
)";
  cluster_->Apply(foreign);
  cluster_->StartOperator();
  cluster_->Apply(SetYaml());
  EXPECT_TRUE(Eventually([&] {
    return cluster_->Condition(PodCliqueScalingGroups(), "serve-0-gpus", "ResourceClaimsReady") ==
           "False ClaimNameConflict";
  }));
  // The other replica runs.
  EXPECT_TRUE(RunUntil([&] {
    const auto worker = cluster_->Get(PodCliques(), "serve-0-gpus-0-worker");
    return worker && worker->view()["status"]["readyReplicas"].Int() == 2;
  }));
  const auto claim = cluster_->Get(Claims(), "serve-0-gpus-1-inside");
  ASSERT_TRUE(claim.has_value());
  EXPECT_TRUE(claim->meta().label("app.kubernetes.io/managed-by").value_or("").empty());
  EXPECT_EQ(claim->meta().owners().size(), 1U);
}

// A refusal is told, costs nothing else, and is over when it is over.
TEST_F(Sets, WhatIsRefusedForAWhileComesLater) {
  std::atomic<bool> refusing = true;
  cluster_->faults().AnswerNext(1 << 30, Refusal(), [&refusing](const http::Request& request) {
    return refusing && request.method == "POST" &&
           (request.target.find("/resourceclaims") != std::string::npos ||
            request.target.find("/pods") != std::string::npos);
  });
  cluster_->StartOperator();
  cluster_->Apply(SetYaml());
  EXPECT_TRUE(Eventually([&] {
    return cluster_->Condition(PodCliqueScalingGroups(), "serve-0-gpus", "ResourceClaimsReady") ==
           "False ClaimNotCreated";
  }));
  EXPECT_TRUE(Eventually([&] {
    const auto router = cluster_->Get(PodCliques(), "serve-0-router");
    return router && router->view()["status"]["lastErrors"].at(0)["code"].Equals("ERR_CREATE_POD");
  }));
  const auto router = cluster_->Get(PodCliques(), "serve-0-router");
  EXPECT_EQ(router->view()["status"]["replicas"].Int().value_or(0), 0);
  EXPECT_EQ(cluster_->Names(kube::types::Services()), Names{"serve-0"});
  refusing = false;
  EXPECT_TRUE(RunUntil([&] { return LivePods().size() == kPods && IsAvailable(); }));
  EXPECT_TRUE(Eventually([&] {
    return cluster_->Get(PodCliques(), "serve-0-router")->view()["status"]["lastErrors"].size() ==
           0;
  }));
}

// Labels alone do not make something ours.
TEST_F(Sets, ACopyOfAPodStays) {
  cluster_->StartOperator();
  cluster_->Apply(SetYaml());
  ASSERT_TRUE(RunUntil([&] { return LivePods().size() == kPods && IsAvailable(); }));
  cluster_->Apply(R"(
apiVersion: v1
kind: Pod
metadata:
  name: debug
  namespace: $namespace
  labels:
    app.kubernetes.io/managed-by: grove-operator
    app.kubernetes.io/part-of: serve
    grove.io/podclique: serve-0-router
spec: {containers: [{name: main, image: i}]}
)");
  // One of ours that is made again shows that the clique was looked at.
  cluster_->Delete(Pods(),
                   LivePods("grove.io/podclique=serve-0-router,grove.io/podgang")[0].meta().name());
  EXPECT_TRUE(RunUntil([&] { return LivePods().size() == kPods + 1; }));
  EXPECT_TRUE(cluster_->Names(Pods()).contains("debug"));
}

// W4, W15
TEST_F(Sets, ServicesFollowTheirSet) {
  cluster_->StartOperator();
  cluster_->Apply(SetYaml("registry.k8s.io/pause:3.10", "inside", 2));
  EXPECT_TRUE(Eventually([&] {
    return cluster_->Names(kube::types::Services()) == Names{"serve-0", "serve-1"};
  }));
  std::string quiet = SetYaml();
  quiet.replace(quiet.find("publishNotReadyAddresses: true"), 30,
                "publishNotReadyAddresses: false");
  cluster_->Apply(quiet);
  EXPECT_TRUE(Eventually([&] {
    const auto service = cluster_->Get(kube::types::Services(), "serve-0");
    return service && !service->view()["spec"]["publishNotReadyAddresses"].Bool().value_or(false) &&
           cluster_->Names(kube::types::Services()) == Names{"serve-0"};
  }));
}

// RU: one at a time, and all of them in the end.
TEST_F(Sets, AnUpdateReplacesEveryPod) {
  cluster_->StartOperator();
  cluster_->Apply(SetYaml());
  ASSERT_TRUE(RunUntil([&] { return LivePods().size() == kPods && IsAvailable(); }));
  cluster_->Apply(SetYaml("registry.k8s.io/pause:3.9"));
  EXPECT_TRUE(RunUntil([&] {
    const auto pods = LivePods();
    return pods.size() == kPods &&
           std::all_of(pods.begin(), pods.end(), [](const kube::Object& pod) {
             return pod["spec"]["containers"].at(0)["image"].Equals("registry.k8s.io/pause:3.9");
           });
  }));
  EXPECT_TRUE(RunUntil([&] {
    const auto set = cluster_->Get(PodCliqueSets(), "serve");
    return set && set->view()["status"]["updateProgress"]["updateEndedAt"].IsString() &&
           set->view()["status"]["updatedReplicas"].Int() == 1 && IsAtRest();
  })) << cluster_->Get(PodCliqueSets(), "serve")->view()["status"].raw();
  ExpectIndicesOnce();
  // And comes to rest: the next operator writes nothing but what a new pod needs.
  EXPECT_OK(cluster_->StopOperator());
  cluster_->faults().ForgetSent();
  cluster_->StartOperator();
  cluster_->Delete(Pods(), LivePods("grove.io/podclique=serve-0-router")[0].meta().name());
  ASSERT_TRUE(RunUntil([&] { return LivePods().size() == kPods && IsAvailable(); }));
  ExpectOnlyAPodIsMade();
}

// W43: the claims of a replica that is gone do not stay, and its pods do not either.
TEST_F(Sets, ScalingInAndOutAgainComesToRest) {
  cluster_->StartOperator();
  cluster_->Apply(SetYaml());
  ASSERT_TRUE(RunUntil([&] { return LivePods().size() == kPods && IsAvailable(); }));
  for (const int replicas : {1, 3, 2}) {
    cluster_->Scale(PodCliqueScalingGroups(), "serve-0-gpus", replicas);
  }
  EXPECT_TRUE(RunUntil([&] {
    return LivePods().size() == kPods && IsAvailable() &&
           cluster_->Names(Claims()) == Names{"serve-0-gpus-0-inside", "serve-0-gpus-1-inside"};
  }));
  cluster_->Scale(PodCliqueSets(), "serve", 0);
  EXPECT_TRUE(Eventually([&] {
    return LivePods().empty() && cluster_->Names(Claims()).empty() &&
           cluster_->Names(PodCliques()).empty() && cluster_->Names(grove::PodGangs()).empty() &&
           cluster_->Names(kube::types::Services()).empty();
  }));
}

}  // namespace
}  // namespace hearth
