// Graphs of inference components against a real API server with the real controllers of Deployments
// and Jobs, under the operator's own rights. The test plays users, kubelets and agents.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "base/testing/status_matchers.h"
#include "controller/conditions.h"
#include "dynamo/operator/resources.h"
#include "eventually.h"
#include "grove/reconcile/resources.h"
#include "grove_cluster.h"

namespace hearth {
namespace {

using dynamo::Checkpoints;
using dynamo::CliqueSets;
using dynamo::ComponentDeployments;
using dynamo::Graphs;
using kube::types::Deployments;
using kube::types::Pods;
using kube::types::Services;
using testing::HasSubstr;

std::string GraphYaml(const std::string& grove, const std::string& worker_more = "",
                      const std::string& image = "e:1") {
  return R"(
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata:
  name: g
  namespace: $namespace
  annotations: {nvidia.com/enable-grove: ")" +
         grove + R"("}
spec:
  backendFramework: vllm
  components:
  - {name: front, type: frontend, replicas: 1, podTemplate: {spec: {containers: [{name: main, image: f}]}}}
  - name: decode
    type: decode
    replicas: 2
    podTemplate:
      spec:
        containers:
        - {name: main, image: ')" +
         image + R"(', command: [python3, -m, dynamo.vllm]}
)" + worker_more;
}

const std::string kWaiting =
    "    experimental: {checkpoint: {enabled: true, startupPolicy: WaitForCheckpoint}}\n";

class GraphsTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string why_not;
    plane_ = GroveCluster::Plane(&why_not, {"deployment-controller", "replicaset-controller",
                                            "job-controller", "serviceaccount-controller"});
    if (plane_ == nullptr) {
      GTEST_SKIP() << why_not;
    }
    cluster_ = std::make_unique<GroveCluster>(*plane_);
    dynamo::DynamoOptions options;
    options.graphs.storage = {
        .pvc_name = "warm-disk", .base_path = "/checkpoints", .create = true, .size = "1Gi"};
    cluster_->WithGraphs(options);
  }

  std::string State() {
    const auto graph = cluster_->Get(Graphs(), "g");
    return graph ? graph->view()["status"]["state"].StringOr("") : "";
  }
  bool AwaitState(const std::string& state) {
    const bool reached = Eventually([&] {
      cluster_->RunPods();
      return State() == state;
    });
    if (!reached) {
      const auto graph = cluster_->Get(Graphs(), "g");
      ADD_FAILURE() << (graph ? std::string(graph->view()["status"].raw()) : "no graph");
    }
    return reached;
  }
  kube::TestControlPlane* plane_ = nullptr;
  std::unique_ptr<GroveCluster> cluster_;
};

TEST_F(GraphsTest, WithoutGroveAGraphBecomesDeploymentsAndIsReadyWhenTheyAre) {
  cluster_->StartOperator();
  cluster_->Apply(GraphYaml("false"));
  ASSERT_TRUE(AwaitState("successful"));
  EXPECT_EQ(cluster_->List(ComponentDeployments()).size(), 2U);
  EXPECT_EQ(cluster_->List(Pods()).size(), 3U);
  EXPECT_TRUE(cluster_->Get(Services(), "g-front"));
  EXPECT_THAT(cluster_->Condition(Graphs(), "g", "Ready"), HasSubstr("True"));

  // Settled: an operator that starts anew writes nothing.
  ASSERT_OK(cluster_->StopOperator());
  const size_t before = cluster_->Writes().size();
  cluster_->StartOperator();
  std::string other = GraphYaml("false");
  other.replace(other.find("name: g"), 7, "name: probe");
  cluster_->Apply(other);
  ASSERT_TRUE(Eventually([&] { return cluster_->Get(Deployments(), "probe-front").has_value(); }));
  const auto writes = cluster_->Writes();
  for (size_t i = before; i < writes.size(); ++i) {
    EXPECT_FALSE(writes[i].ends_with("/g") || writes[i].find("/g-") != std::string::npos ||
                 writes[i].find("/g/") != std::string::npos)
        << writes[i];
  }

  cluster_->Delete(Graphs(), "g");
  const auto gone = [&](const kube::ResourceType& type) {
    const auto names = cluster_->Names(type);
    return std::none_of(names.begin(), names.end(),
                        [](const std::string& name) { return name.starts_with("g-"); });
  };
  EXPECT_TRUE(Eventually(
      [&] { return gone(ComponentDeployments()) && gone(Deployments()) && gone(Services()); }));
}

TEST_F(GraphsTest, AChangeOfWorkersRollsThemWithoutGrove) {
  cluster_->StartOperator();
  cluster_->Apply(GraphYaml("false"));
  ASSERT_TRUE(AwaitState("successful"));
  const auto before = cluster_->Names(ComponentDeployments());
  cluster_->Apply(GraphYaml("false", "", "e:2"));
  ASSERT_TRUE(Eventually([&] {
    cluster_->RunPods();
    const auto names = cluster_->Names(ComponentDeployments());
    return names != before && names.size() == 2 && State() == "successful";
  }));
  const auto graph = cluster_->Get(Graphs(), "g");
  EXPECT_EQ(graph->view()["status"]["rollingUpdate"]["phase"].StringOr(""), "Completed");
}

TEST_F(GraphsTest, ThroughGroveAGraphBecomesASetAndIsScaledByItsCliques) {
  cluster_->StartOperator();
  cluster_->Apply(GraphYaml("true"));
  ASSERT_TRUE(AwaitState("successful"));
  EXPECT_EQ(cluster_->Names(CliqueSets()), std::set<std::string>{"g"});
  EXPECT_EQ(cluster_->List(Pods()).size(), 3U);
  std::string more = GraphYaml("true");
  more.replace(more.find("replicas: 2"), 11, "replicas: 4");
  cluster_->Apply(more);
  ASSERT_TRUE(Eventually([&] {
    cluster_->RunPods();
    return cluster_->List(Pods()).size() == 5 && State() == "successful";
  }));
  cluster_->Delete(Graphs(), "g");
  EXPECT_TRUE(Eventually(
      [&] { return cluster_->List(CliqueSets()).empty() && cluster_->List(Pods()).empty(); }));
}

// X4, X5, X9, X10, X11, W9 on either way.
TEST_F(GraphsTest, WorkersWaitForTheirCheckpointAndComeFromIt) {
  for (const std::string grove : {"false", "true"}) {
    GroveCluster cluster(*plane_);
    dynamo::DynamoOptions options;
    options.graphs.storage = {
        .pvc_name = "warm-disk", .base_path = "/checkpoints", .create = true, .size = "1Gi"};
    cluster.WithGraphs(options);
    cluster.StartOperator();
    cluster.Apply(GraphYaml(grove, kWaiting));
    const auto status = [&](const char* a, const char* b = nullptr, const char* c = nullptr) {
      const auto graph = cluster.Get(Graphs(), "g");
      json::View view = graph ? graph->view()["status"][a] : json::View();
      view = b == nullptr ? view : view[b];
      return (c == nullptr ? view : view[c]).StringOr("");
    };
    ASSERT_TRUE(Eventually([&] {
      cluster.RunPods();
      return cluster.Condition(Graphs(), "g", "Ready").find("waiting_for_checkpoint") !=
             std::string::npos;
    })) << grove;
    EXPECT_EQ(cluster
                  .List(Pods(),
                        "nvidia.com/dynamo-component=decode,"
                        "!nvidia.com/snapshot-is-checkpoint-source")
                  .size(),
              0U);
    const std::string name = status("checkpoints", "decode", "checkpointName");
    ASSERT_TRUE(cluster.Get(Checkpoints(), name));
    json::Value patch;
    patch.MakePath("status.phase") = "Ready";
    const json::Blob body = patch.ToBlob();
    ASSERT_OK(cluster.client().Patch(Checkpoints(), {cluster.name_space(), name},
                                     kube::PatchType::kMerge, body.view(), GroveCluster::Limit(),
                                     {.subresource = "status"}));
    EXPECT_TRUE(Eventually([&] {
      cluster.RunPods();
      return status("state") == "successful";
    })) << grove
        << std::string(cluster.Get(Graphs(), "g")->view()["status"].raw());
    const auto pods = cluster.List(Pods(), "nvidia.com/snapshot-is-restore-target=true");
    ASSERT_EQ(pods.size(), 2U) << grove;
    EXPECT_EQ(
        pods[0].view()["metadata"]["annotations"]["nvidia.com/snapshot-target-containers"].StringOr(
            ""),
        "main");
    ASSERT_OK(cluster.StopOperator());
  }
}

http::Response Away() {
  http::Response response;
  response.status = 500;
  response.headers.Set("Content-Type", "application/json");
  response.body =
      R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"InternalError",)"
      R"("code":500,"message":"made up by the test"})";
  return response;
}

// Whatever write an operator dies at, the next one comes to the same end.
TEST_F(GraphsTest, AnOperatorThatDiesAtAnyWriteComesToTheSameEnd) {
  cluster_->StartOperator();
  cluster_->Apply(GraphYaml("false"));
  ASSERT_TRUE(AwaitState("successful"));
  ASSERT_OK(cluster_->StopOperator());
  const size_t whole = cluster_->Writes().size();
  const auto components = cluster_->Names(ComponentDeployments());
  const auto services = cluster_->Names(Services());
  for (size_t nth = 1; nth <= whole; ++nth) {
    GroveCluster other(*plane_);
    other.WithGraphs({});
    std::atomic<size_t> writes = 0;
    other.faults().AnswerNext(1 << 20, Away(), [&](const http::Request& request) {
      return request.method != "GET" && ++writes >= nth;
    });
    other.StartOperator();
    other.Apply(GraphYaml("false"));
    bool alive = false;  // it was done with fewer writes this time
    ASSERT_TRUE(Eventually([&] {
      other.RunPods();
      const auto graph = other.Get(Graphs(), "g");
      alive = graph && graph->view()["status"]["state"].Equals("successful");
      return writes >= nth || alive;
    })) << nth;
    (void)other.StopOperator();
    if (alive) {
      break;
    }
    other.faults().AnswerNext(0, Away());
    other.StartOperator();
    EXPECT_TRUE(Eventually([&] {
      other.RunPods();
      const auto graph = other.Get(Graphs(), "g");
      return graph && graph->view()["status"]["state"].Equals("successful");
    })) << nth;
    EXPECT_EQ(other.Names(ComponentDeployments()), components) << nth;
    EXPECT_EQ(other.Names(Services()), services) << nth;
    ASSERT_OK(other.StopOperator());
  }
}

}  // namespace
}  // namespace hearth
