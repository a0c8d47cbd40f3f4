// Claims shared at all three levels of a set, against a real API server with its garbage
// collection: RS-E2E, the worked example, step by step.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "claims/versions.h"
#include "eventually.h"
#include "grove_cluster.h"

namespace hearth {
namespace {

using grove::PodCliques;
using grove::PodCliqueScalingGroups;
using grove::PodCliqueSets;
using Names = std::set<std::string>;

const kube::ResourceType& Claims() { return claims::ResourceClaims(claims::ApiVersion::kV1); }

// What the documentation of the feature works through, with templates of one request each.
std::string Workload() {
  std::string text = R"(
apiVersion: v1
kind: Namespace
metadata: {name: rs-shared-$namespace}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: ext-tpl, namespace: $namespace}
spec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: ext-class}}]}}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: ext-ns-tpl, namespace: rs-shared-$namespace}
spec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: ext-ns-class}}]}}}
---
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata: {name: rs-test, namespace: $namespace}
spec:
  replicas: 1
  template:
    terminationDelay: 4h0m0s
    headlessServiceConfig: {publishNotReadyAddresses: true}
    resourceClaimTemplates:
)";
  for (const char* name : {"int-tpl", "int-tpl2", "int-tpl3", "int-tpl4", "int-tpl5", "int-tpl6",
                           "int-tpl7", "int-tpl8"}) {
    text += std::string("    - {name: ") + name +
            ", templateSpec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: "
            "int-class}}]}}}}\n";
  }
  return text + R"(
    resourceSharing:
    - {name: int-tpl5, scope: AllReplicas}
    - {name: ext-tpl, scope: PerReplica}
    - {name: int-tpl, scope: PerReplica, filter: {childCliqueNames: [worker-a]}}
    - {name: int-tpl7, scope: AllReplicas, filter: {childScalingGroupNames: [sga]}}
    cliques:
    - name: worker-a
      resourceSharing:
      - {name: int-tpl4, scope: PerReplica}
      - {name: ext-ns-tpl, namespace: rs-shared-$namespace, scope: AllReplicas}
      spec:
        roleName: worker-a
        replicas: 1
        minAvailable: 1
        podSpec: {containers: [{name: main, image: registry.k8s.io/pause:3.10}]}
    - name: worker-b
      resourceSharing:
      - {name: int-tpl6, scope: AllReplicas}
      spec:
        roleName: worker-b
        replicas: 1
        minAvailable: 1
        podSpec:
          initContainers: [{name: prepare, image: registry.k8s.io/pause:3.10}]
          containers: [{name: main, image: registry.k8s.io/pause:3.10}]
    podCliqueScalingGroups:
    - name: sga
      replicas: 2
      minAvailable: 2
      cliqueNames: [worker-b]
      resourceSharing:
      - {name: int-tpl2, scope: AllReplicas}
      - {name: int-tpl3, scope: PerReplica}
      - {name: int-tpl8, scope: AllReplicas, filter: {childCliqueNames: [worker-b]}}
)";
}

const Names kTwelve = {"rs-test-all-int-tpl5",
                       "rs-test-0-ext-tpl",
                       "rs-test-0-int-tpl",
                       "rs-test-all-int-tpl7",
                       "rs-test-0-worker-a-0-int-tpl4",
                       "rs-test-0-worker-a-all-ext-ns-tpl",
                       "rs-test-0-sga-all-int-tpl2",
                       "rs-test-0-sga-0-int-tpl3",
                       "rs-test-0-sga-1-int-tpl3",
                       "rs-test-0-sga-all-int-tpl8",
                       "rs-test-0-sga-0-worker-b-all-int-tpl6",
                       "rs-test-0-sga-1-worker-b-all-int-tpl6"};

Names Without(Names names, const Names& less) {
  for (const std::string& name : less) {
    names.erase(name);
  }
  return names;
}

Names With(Names names, const Names& more) {
  names.insert(more.begin(), more.end());
  return names;
}

const Names kFourteen =
    With(kTwelve, {"rs-test-0-sga-2-int-tpl3", "rs-test-0-sga-2-worker-b-all-int-tpl6"});
const Names kOfSecondReplica = {"rs-test-1-ext-tpl",
                                "rs-test-1-int-tpl",
                                "rs-test-1-worker-a-0-int-tpl4",
                                "rs-test-1-worker-a-all-ext-ns-tpl",
                                "rs-test-1-sga-all-int-tpl2",
                                "rs-test-1-sga-0-int-tpl3",
                                "rs-test-1-sga-1-int-tpl3",
                                "rs-test-1-sga-all-int-tpl8",
                                "rs-test-1-sga-0-worker-b-all-int-tpl6",
                                "rs-test-1-sga-1-worker-b-all-int-tpl6"};

// By how a claim's name begins.
std::string OwnerOf(const std::string& claim) {
  for (const std::string replica : {"rs-test-0", "rs-test-1"}) {
    for (const std::string member : {"-sga-0-worker-b", "-sga-1-worker-b", "-sga-2-worker-b"}) {
      if (claim.starts_with(replica + member + "-all")) {
        return "PodClique/" + replica + member;
      }
    }
    if (claim.starts_with(replica + "-sga-")) {
      return "PodCliqueScalingGroup/" + replica + "-sga";
    }
    if (claim.starts_with(replica + "-worker-a-")) {
      return "PodClique/" + replica + "-worker-a";
    }
  }
  return "PodCliqueSet/rs-test";
}

class ResourceSharing : public testing::Test {
 protected:
  void SetUp() override {
    std::string why_not;
    kube::TestControlPlane* plane = GroveCluster::Plane(&why_not);
    if (plane == nullptr) {
      GTEST_SKIP() << why_not;
    }
    cluster_ = std::make_unique<GroveCluster>(*plane);
  }

  void ApplyWorkload() {
    const std::string shared = "rs-shared-" + cluster_->name_space();
    (void)cluster_->plane().Kubectl({"create", "namespace", shared});
    const std::string text = Workload();
    cluster_->Apply(text.substr(text.find("---")));
  }

  bool AwaitClaims(const Names& names) {
    return Eventually([&] { return cluster_->Names(Claims(), kClaimSelector) == names; });
  }
  bool AwaitPods(size_t count) {
    return Eventually([&] {
      const auto pods = cluster_->List(kube::types::Pods(), "app.kubernetes.io/part-of=rs-test");
      size_t alive = 0;
      for (const auto& pod : pods) {
        alive += pod.meta().deleting() ? 0 : 1;
      }
      return alive == count;
    });
  }
  void ExpectOwners() {
    for (const kube::Object& claim : cluster_->List(Claims(), kClaimSelector)) {
      const auto owners = claim.meta().owners();
      ASSERT_EQ(owners.size(), 1U) << claim.meta().name();
      EXPECT_TRUE(owners[0].controller);
      EXPECT_EQ(owners[0].kind + "/" + owners[0].name, OwnerOf(claim.meta().name()));
    }
  }
  // What the pods of a clique refer to, in the pod and in each container.
  std::vector<Names> References(const std::string& clique) {
    std::vector<Names> all;
    for (const kube::Object& pod :
         cluster_->List(kube::types::Pods(), "grove.io/podclique=" + clique)) {
      Names names;
      for (const json::View claim : pod["spec"]["resourceClaims"].items()) {
        names.insert(claim["name"].StringOr(""));
        EXPECT_EQ(claim["name"].StringOr(""), claim["resourceClaimName"].StringOr("-"));
      }
      for (const char* containers : {"containers", "initContainers"}) {
        for (const json::View container : pod["spec"][containers].items()) {
          Names in_container;
          for (const json::View claim : container["resources"]["claims"].items()) {
            in_container.insert(claim["name"].StringOr(""));
          }
          EXPECT_EQ(in_container, names) << containers;
        }
      }
      all.push_back(names);
    }
    return all;
  }
  Names ReferencesOfMember(int j) {
    const std::string group = "rs-test-0-sga-";
    return {"rs-test-all-int-tpl5",
            "rs-test-0-ext-tpl",
            "rs-test-all-int-tpl7",
            group + "all-int-tpl2",
            group + std::to_string(j) + "-int-tpl3",
            group + "all-int-tpl8",
            group + std::to_string(j) + "-worker-b-all-int-tpl6"};
  }

  static constexpr const char* kClaimSelector =
      "app.kubernetes.io/managed-by=grove-operator,app.kubernetes.io/part-of=rs-test,"
      "app.kubernetes.io/component=resource-claim";
  std::unique_ptr<GroveCluster> cluster_;
};

TEST_F(ResourceSharing, RS_E2E_TheWorkedExample) {
  cluster_->StartOperator();
  ApplyWorkload();                                                                         // 1 to 3
  ASSERT_TRUE(AwaitClaims(kTwelve)) << testing::PrintToString(cluster_->Names(Claims()));  // 4, 5
  ASSERT_TRUE(AwaitPods(3));                                                               // 6
  const Names worker_a = {"rs-test-all-int-tpl5", "rs-test-0-ext-tpl", "rs-test-0-int-tpl",
                          "rs-test-0-worker-a-0-int-tpl4", "rs-test-0-worker-a-all-ext-ns-tpl"};
  EXPECT_THAT(References("rs-test-0-worker-a"), testing::ElementsAre(worker_a));
  for (const int j : {0, 1}) {
    EXPECT_THAT(References("rs-test-0-sga-" + std::to_string(j) + "-worker-b"),
                testing::ElementsAre(ReferencesOfMember(j)));
  }
  ExpectOwners();  // 7

  cluster_->Scale(PodCliqueScalingGroups(), "rs-test-0-sga", 1);  // 8
  EXPECT_TRUE(AwaitClaims(
      Without(kTwelve, {"rs-test-0-sga-1-int-tpl3", "rs-test-0-sga-1-worker-b-all-int-tpl6"})))
      << testing::PrintToString(cluster_->Names(Claims()));
  EXPECT_TRUE(AwaitPods(2));
  cluster_->Scale(PodCliqueScalingGroups(), "rs-test-0-sga", 3);  // 9
  EXPECT_TRUE(AwaitClaims(kFourteen));
  EXPECT_TRUE(AwaitPods(4));

  cluster_->Scale(PodCliques(), "rs-test-0-worker-a", 2);  // 10
  EXPECT_TRUE(AwaitClaims(With(kFourteen, {"rs-test-0-worker-a-1-int-tpl4"})));
  EXPECT_TRUE(AwaitPods(5));
  Names second = Without(worker_a, {"rs-test-0-worker-a-0-int-tpl4"});
  second.insert("rs-test-0-worker-a-1-int-tpl4");
  EXPECT_THAT(References("rs-test-0-worker-a"), testing::UnorderedElementsAre(worker_a, second));
  cluster_->Scale(PodCliques(), "rs-test-0-worker-a", 1);  // 11
  EXPECT_TRUE(AwaitClaims(kFourteen));
  EXPECT_TRUE(AwaitPods(4));

  cluster_->Scale(PodCliqueSets(), "rs-test", 2);  // 12
  EXPECT_TRUE(AwaitClaims(With(kFourteen, kOfSecondReplica)));
  EXPECT_TRUE(AwaitPods(7));
  ExpectOwners();                                  // 13
  cluster_->Scale(PodCliqueSets(), "rs-test", 1);  // 14
  EXPECT_TRUE(AwaitClaims(kFourteen)) << testing::PrintToString(cluster_->Names(Claims()));
  EXPECT_TRUE(AwaitPods(4));

  std::string flipped = Workload().substr(Workload().find("kind: PodCliqueSet") - 40);  // 15
  flipped = flipped.substr(flipped.find("apiVersion: grove.io"));
  flipped.replace(flipped.find("int-tpl5, scope: AllReplicas"), 28, "int-tpl5, scope: PerReplica ");
  const Status refused = cluster_->TryApply(flipped);
  EXPECT_THAT(std::string(refused.message()), testing::HasSubstr("field is immutable"));

  cluster_->Delete(PodCliqueSets(), "rs-test");  // 16
  EXPECT_TRUE(Eventually([&] { return !cluster_->Get(PodCliqueSets(), "rs-test"); }));
  EXPECT_TRUE(AwaitClaims({})) << testing::PrintToString(cluster_->Names(Claims()));
  for (const auto* type :
       {&kube::types::Pods(), &PodCliques(), &PodCliqueScalingGroups(), &grove::PodGangs(),
        &kube::types::Services(), &grove::Roles(), &grove::RoleBindings()}) {
    // Garbage collection learns of new kinds every half a minute.
    EXPECT_TRUE(Eventually([&] { return cluster_->Names(*type).empty(); }))
        << type->name << " " << testing::PrintToString(cluster_->Names(*type));
  }
}

// The server goes in the middle of it and comes back with what it had.
TEST_F(ResourceSharing, TheWorkedExampleSurvivesARestartOfTheServer) {
  cluster_->StartOperator();
  ApplyWorkload();
  ASSERT_TRUE(Eventually([&] { return cluster_->Writes().size() > 8; }));
  cluster_->plane().KillApiServer();
  ASSERT_OK(cluster_->plane().StartApiServer());
  EXPECT_TRUE(AwaitClaims(kTwelve)) << testing::PrintToString(cluster_->Names(Claims()));
  EXPECT_TRUE(AwaitPods(3));
  ExpectOwners();

  cluster_->Scale(PodCliqueScalingGroups(), "rs-test-0-sga", 3);
  cluster_->plane().KillApiServer();
  ASSERT_OK(cluster_->plane().StartApiServer());
  EXPECT_TRUE(AwaitClaims(kFourteen));
  EXPECT_TRUE(AwaitPods(4));
  ExpectOwners();
}

}  // namespace
}  // namespace hearth
