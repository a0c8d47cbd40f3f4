// What the operator may do to sets of pods, beside what it does: under the rights of
// deploy/operator/rbac.yaml nothing is refused, and none to write is there for nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "admission/access/template_access.h"
#include "base/file_system.h"
#include "base/testing/status_matchers.h"
#include "claims/versions.h"
#include "eventually.h"
#include "grove_cluster.h"
#include "json/yaml.h"

namespace hearth {
namespace {

using grove::PodCliques;
using grove::PodCliqueScalingGroups;
using grove::PodCliqueSets;
using json::Value;
using kube::types::Pods;
using Names = std::set<std::string>;

const kube::ResourceType& Claims() { return claims::ResourceClaims(claims::ApiVersion::kV1); }

// Every kind of object that a set can have: autoscalers, a token, claims, gangs beyond the minimum.
constexpr const char* kSet = R"(
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata: {name: all, namespace: $namespace}
spec:
  replicas: 2
  template:
    terminationDelay: 4h0m0s
    cliqueStartupType: CliqueStartupTypeExplicit
    resourceClaimTemplates:
    - {name: inside, templateSpec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}}}
    resourceSharing: [{name: inside, scope: PerReplica}]
    cliques:
    - name: first
      spec:
        roleName: first
        replicas: 2
        minAvailable: 1
        autoScalingConfig: {minReplicas: 1, maxReplicas: 3}
        podSpec: {containers: [{name: main, image: 'registry.k8s.io/pause:3.10'}]}
    - name: second
      spec:
        roleName: second
        replicas: 1
        minAvailable: 1
        startsAfter: [first]
        podSpec: {containers: [{name: main, image: 'registry.k8s.io/pause:3.10'}]}
    podCliqueScalingGroups:
    - {name: g, replicas: 2, minAvailable: 1, cliqueNames: [second]}
)";

// "create pods" for "POST /api/v1/namespaces/n/pods?..."; empty for what is no write of objects.
std::string RightOf(const std::string& request) {
  const size_t space = request.find(' ');
  const std::string method = request.substr(0, space);
  std::string path = request.substr(space + 1);
  path = path.substr(0, path.find('?'));
  std::vector<std::string> parts;
  for (size_t at = 0; at != std::string::npos;) {
    const size_t end = path.find('/', at + 1);
    parts.push_back(path.substr(at + 1, end == std::string::npos ? end : end - at - 1));
    at = end;
  }
  // api/v1/... or apis/<group>/<version>/...
  const bool core = parts[0] == "api";
  const std::string group = core ? "" : parts[1];
  std::vector<std::string> rest(parts.begin() + (core ? 2 : 3), parts.end());
  if (rest.size() > 2 && rest[0] == "namespaces") {
    rest.erase(rest.begin(), rest.begin() + 2);
  }
  const std::string verb = method == "POST"     ? "create"
                           : method == "PATCH"  ? "patch"
                           : method == "DELETE" ? "delete"
                                                : "";
  return verb.empty() ? ""
                      : verb + " " + group + "/" + rest[0] + (rest.size() > 2 ? "/" + rest[2] : "");
}

// The rights to write that the rules for sets give.
Names RightsToWrite() {
  const auto text =
      RealFileSystem().Read(std::string(HEARTH_SOURCE_DIR) + "/deploy/operator/rbac.yaml", 1 << 20);
  EXPECT_OK(text);
  const auto documents = json::ParseYaml(text.ok() ? *text : "");
  EXPECT_OK(documents);
  Names rights;
  for (const Value& document : *documents) {
    if (document.Find("kind")->string() != "ClusterRole" ||
        document.FindPath("metadata.name")->string() != "hearth-operator") {
      continue;
    }
    for (const Value& rule : document.Find("rules")->items()) {
      for (const Value& group : rule.Find("apiGroups")->items()) {
        for (const Value& resource : rule.Find("resources")->items()) {
          for (const Value& verb : rule.Find("verbs")->items()) {
            rights.insert(verb.string() + " " + group.string() + "/" + resource.string());
          }
        }
      }
    }
  }
  std::erase_if(rights, [](const std::string& right) {
    const auto has = [&](std::string_view part) { return right.find(part) != std::string::npos; };
    return right.starts_with("get") || right.starts_with("list") || right.starts_with("watch") ||
           right.starts_with("update") ||                   // finalizers, webhooks
           has(" nvidia.com/") || has("customresource") ||  // snapshots and graphs
           has("events.k8s.io") || has("podgroups") ||      // other schedulers' clusters
           has("subjectaccessreviews");                     // the next test
  });
  return rights;
}

// What only graphs need; graphs_test.cc, recovery_test.cc and the stories on a node run under them.
const Names& OfGraphs() {
  static const Names kRights = {
      "create /persistentvolumeclaims",
      "create apps/deployments",
      "delete apps/deployments",
      "patch apps/deployments",
      "create batch/jobs",
      "delete batch/jobs",
      "create grove.io/podcliquesets",
      "delete grove.io/podcliquesets",
      "patch grove.io/podcliques/scale",
      "patch grove.io/podcliquescalinggroups/scale",
      "create resource.k8s.io/resourceclaimtemplates",
      "delete resource.k8s.io/resourceclaimtemplates",
      "patch resource.k8s.io/resourceclaimtemplates",
  };
  return kRights;
}

class GroveRights : public testing::Test {
 protected:
  void SetUp() override {
    std::string why_not;
    kube::TestControlPlane* plane = GroveCluster::Plane(&why_not);
    if (plane == nullptr) {
      GTEST_SKIP() << why_not;
    }
    cluster_ = std::make_unique<GroveCluster>(*plane);
  }
  bool RunUntil(const std::function<bool()>& condition) {
    return Eventually([&] {
      cluster_->RunPods();
      return condition();
    });
  }
  // Somebody takes a label away that is ours; the operator puts it back.
  void ExpectMended(const kube::ResourceType& type, const std::string& name) {
    Value patch;
    patch.MakePath("metadata.labels").Set("app.kubernetes.io/part-of", "other");
    const json::Blob body = patch.ToBlob();
    ASSERT_OK(cluster_->client().Patch(type, {cluster_->name_space(), name},
                                       kube::PatchType::kMerge, body.view(),
                                       GroveCluster::Limit()));
    EXPECT_TRUE(Eventually([&] {
      const auto object = cluster_->Get(type, name);
      return object && object->meta().label("app.kubernetes.io/part-of") == "all";
    })) << type.kind;
  }

  std::unique_ptr<GroveCluster> cluster_;
};

TEST_F(GroveRights, NothingIsRefusedAndNoRightToWriteIsForNothing) {
  cluster_->StartOperator();
  cluster_->Apply(kSet);
  ASSERT_TRUE(RunUntil([&] {
    const auto set = cluster_->Get(PodCliqueSets(), "all");
    return set && set->view()["status"]["availableReplicas"].Int() == 2;
  }));
  ExpectMended(kube::types::ServiceAccounts(), "all");
  ExpectMended(kube::types::Secrets(), "all-ic-sat");
  ExpectMended(grove::Roles(), "grove.io:pcs:all");
  ExpectMended(grove::RoleBindings(), "grove.io:pcs:all");
  ExpectMended(kube::types::Services(), "all-0");
  ExpectMended(grove::HorizontalPodAutoscalers(), "all-0-first");
  ExpectMended(Claims(), "all-0-inside");
  cluster_->Scale(PodCliques(), "all-0-first", 1);
  cluster_->Scale(PodCliqueScalingGroups(), "all-0-g", 1);
  cluster_->Scale(PodCliqueSets(), "all", 1);
  ASSERT_TRUE(RunUntil([&] {
    return cluster_->Names(grove::PodGangs()) == Names{"all-0"} &&
           cluster_->Names(Claims()) == Names{"all-0-inside"} &&
           cluster_->Names(grove::HorizontalPodAutoscalers()) == Names{"all-0-first"} &&
           cluster_->Names(Pods()).size() == 2;
  }));
  cluster_->Delete(PodCliqueSets(), "all");
  EXPECT_TRUE(Eventually(
      [&] { return !cluster_->Get(PodCliqueSets(), "all") && cluster_->Names(Pods()).empty(); }));
  EXPECT_THAT(cluster_->faults().Forbidden(), testing::IsEmpty());

  Names used;
  for (const std::string& request : cluster_->faults().Sent()) {
    const std::string right = RightOf(request);
    used.insert(right);
    // What is applied is made when it is not there, which takes both rights.
    if (right.starts_with("patch") && request.find("force=true") != std::string::npos) {
      used.insert("create" + right.substr(right.find(' ')));
    }
  }
  for (const std::string& right : RightsToWrite()) {
    EXPECT_TRUE(used.contains(right) || OfGraphs().contains(right))
        << right << " is given and not used";
  }
}

// W19: asked with the operator's own rights.
TEST_F(GroveRights, TheServerTellsWhoMayReadATemplate) {
  kube::Client as_operator(cluster_->faults(), RealClock());
  const auto ask_server = admission::access::AskServer(as_operator);
  const auto ask = [&](const json::Value& user, const kube::ObjectKey& key) {
    return ask_server(user, key, GroveCluster::Limit());
  };
  const Value jane = Value::Object(
      {{"username", "jane"}, {"groups", Value::Array({"system:authenticated", "readers"})}});
  const kube::ObjectKey key{cluster_->name_space(), "shared"};
  const auto before = ask(jane, key);
  ASSERT_OK(before);
  EXPECT_FALSE(*before);
  cluster_->Apply(R"(
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reads, namespace: $namespace}
rules: [{apiGroups: [resource.k8s.io], resources: [resourceclaimtemplates], resourceNames: [shared], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: reads, namespace: $namespace}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reads}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: Group, name: readers}]
)");
  EXPECT_TRUE(Eventually([&] { return ask(jane, key).value_or(false); }));
  EXPECT_FALSE(ask(jane, {cluster_->name_space(), "other"}).value_or(true));
}

}  // namespace
}  // namespace hearth
