// Commands that only read a cluster, over HTTP, against a server that holds what a folder of
// tests/golden/tree or tests/golden/graphs has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "base/strings.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "cli/hearth.h"
#include "http/server.h"
#include "json/parse.h"
#include "json/yaml.h"
#include "kube/config/config.h"
#include "kube/model/api_status.h"

namespace hearth::cli {
namespace {

using json::Value;
using testing::HasSubstr;
using testing::StartsWith;

constexpr uint64_t kMostBytes = 1 << 20;

const std::map<std::string, std::string>& Collections() {
  static const std::map<std::string, std::string> kCollections = {
      {"PodCliqueSet", "/apis/grove.io/v1alpha1/namespaces/serving/podcliquesets"},
      {"PodCliqueScalingGroup",
       "/apis/grove.io/v1alpha1/namespaces/serving/podcliquescalinggroups"},
      {"PodClique", "/apis/grove.io/v1alpha1/namespaces/serving/podcliques"},
      {"PodGang", "/apis/scheduler.grove.io/v1alpha1/namespaces/serving/podgangs"},
      {"DynamoGraphDeployment",
       "/apis/nvidia.com/v1beta1/namespaces/serving/dynamographdeployments"},
      {"DynamoComponentDeployment",
       "/apis/nvidia.com/v1beta1/namespaces/serving/dynamocomponentdeployments"},
      {"DynamoCheckpoint", "/apis/nvidia.com/v1alpha1/namespaces/serving/dynamocheckpoints"},
      {"PodSnapshot", "/apis/nvidia.com/v1alpha1/namespaces/serving/podsnapshots"},
      {"PodSnapshotContent", "/apis/nvidia.com/v1alpha1/podsnapshotcontents"},
      {"Job", "/apis/batch/v1/namespaces/serving/jobs"},
      {"Event", "/apis/events.k8s.io/v1/namespaces/serving/events"},
      {"Pod", "/api/v1/namespaces/serving/pods"},
      {"ResourceClaim", "/apis/resource.k8s.io/v1/namespaces/serving/resourceclaims"}};
  return kCollections;
}

std::string Golden(const std::string& path, const std::string& folder = "tree") {
  const auto text = RealFileSystem().Read(
      std::string(HEARTH_SOURCE_DIR) + "/tests/golden/" + folder + "/" + path, kMostBytes);
  EXPECT_OK(text);
  return text.ok() ? *text : "";
}

// "a=b,c=d", or "a" alone
bool Matches(const Value& object, std::string_view selector) {
  for (const std::string_view term : Split(selector, ',')) {
    const auto words = Split(term, '=');
    const Value* const labels = object.FindPath("metadata.labels");
    const Value* const label = labels == nullptr ? nullptr : labels->Find(words[0]);
    const bool fits = label != nullptr && (words.size() < 2 || label->StringOr("") == words[1]);
    if (!selector.empty() && !fits) {
      return false;
    }
  }
  return true;
}

class ClusterCommands : public testing::Test {
 protected:
  void SetUp() override {
    http::ServerOptions options;
    options.listen = {.host = "127.0.0.1", .port = 0};
    auto server = http::Server::Start(
        loop_, std::move(options),
        [this](const http::ServerRequest& request) { return Answer(request.message); },
        Logger::Null());
    ASSERT_OK(server);
    server_ = *std::move(server);
    kube::Config config;
    config.server = server_->endpoint();
    config.name_space = "serving";
    kubeconfig_ = directory_.path() + "/kubeconfig";
    ASSERT_OK(RealFileSystem().Write(kubeconfig_, kube::WriteKubeconfig(config, ""), 0600));
  }

  void Hold(const std::string& yaml) {
    auto documents = json::ParseYaml(yaml);
    ASSERT_OK(documents);
    for (Value& document : *documents) {
      const std::string kind = document.Find("kind")->StringOr("");
      serves_claims_ = serves_claims_ && kind != "NoClaims";
      objects_[kind].push_back(std::move(document));
    }
  }

  int Run(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--kubeconfig", kubeconfig_});
    std::istringstream in;
    std::ostringstream out;
    std::ostringstream err;
    command_line::Terminal terminal{in, out, err, RealFileSystem()};
    const int code = Hearth().Run(arguments, terminal);
    out_ = out.str();
    err_ = err.str();
    return code;
  }

  std::map<std::string, std::vector<Value>> objects_;
  bool serves_claims_ = true;
  bool knows_sets_ = true;
  bool forbids_pods_ = false;
  bool forbids_contents_ = false;
  std::string out_;
  std::string err_;

 private:
  http::Response Answer(const http::Request& request) const {
    const std::string_view target = request.target;
    const std::string path(target.substr(0, target.find('?')));
    if (path == "/version") {
      return Json(200, Value::Object({{"gitVersion", "v1.34.0"}}));
    }
    if (path == "/api/v1/pods") {
      return List("Pod", target);
    }
    if (path.ends_with("/log")) {
      http::Response response;
      response.status = 200;
      response.body = "reconciled serving/llm token=tell-nobody\n";
      return response;
    }
    if (path == "/api" || path == "/apis") {
      return Json(200, Discovery(path == "/apis"));
    }
    for (const auto& [kind, collection] : Collections()) {
      const bool known =
          (kind != "PodCliqueSet" || knows_sets_) && (kind != "ResourceClaim" || serves_claims_);
      if (known && path == collection) {
        return forbids_pods_ && kind == "Pod" ? Fail(Code::kPermissionDenied) : List(kind, target);
      }
      if (known && path.starts_with(collection + "/")) {
        if (forbids_contents_ && kind == "PodSnapshotContent") {
          return Fail(Code::kPermissionDenied);
        }
        return Get(kind, path.substr(collection.size() + 1));
      }
    }
    return Fail(Code::kNotFound);
  }

  Value Discovery(bool groups) const {
    Value items = Value::Array();
    if (groups && serves_claims_) {
      items = *json::ParseYamlDocument(R"(
- metadata: {name: resource.k8s.io}
  versions:
  - version: v1
    resources:
    - {resource: resourceclaims, responseKind: {kind: ResourceClaim}, scope: Namespaced, singularResource: resourceclaim}
)");
    }
    return Value::Object({{"kind", "APIGroupDiscoveryList"},
                          {"apiVersion", "apidiscovery.k8s.io/v2"},
                          {"items", std::move(items)}});
  }

  http::Response List(const std::string& kind, std::string_view target) const {
    std::string selector;
    const size_t question = target.find('?');
    for (const auto& [name, value] :
         http::ParseQuery(question == std::string_view::npos ? "" : target.substr(question + 1))) {
      selector = name == "labelSelector" ? value : selector;
    }
    Value items = Value::Array();
    const auto found = objects_.find(kind);
    for (const Value& object : found == objects_.end() ? std::vector<Value>() : found->second) {
      if (Matches(object, selector)) {
        items.Append(object);
      }
    }
    return Json(200, Value::Object({{"kind", kind + "List"},
                                    {"metadata", Value::Object({{"resourceVersion", "1"}})},
                                    {"items", std::move(items)}}));
  }

  http::Response Get(const std::string& kind, const std::string& name) const {
    const auto found = objects_.find(kind);
    for (const Value& object : found == objects_.end() ? std::vector<Value>() : found->second) {
      if (object.FindPath("metadata.name")->StringOr("") == name) {
        return Json(200, object);
      }
    }
    return Fail(Code::kNotFound);
  }

  static http::Response Fail(Code code) {
    const int status = code == Code::kNotFound ? 404 : 403;
    return Json(status, Value::Object({{"kind", "Status"},
                                       {"apiVersion", "v1"},
                                       {"status", "Failure"},
                                       {"reason", status == 404 ? "NotFound" : "Forbidden"},
                                       {"message", "refused"},
                                       {"code", status}}));
  }

  static http::Response Json(int status, const Value& body) {
    http::Response response;
    response.status = status;
    response.headers.Set("Content-Type", "application/json");
    response.body = body.Write();
    return response;
  }

  TempDirectory directory_;
  std::string kubeconfig_;
  net::EventLoop loop_{"server"};
  std::unique_ptr<http::Server> server_;
};

TEST_F(ClusterCommands, TreeShowsWhatIsThere) {
  Hold(Golden("all-is-well/input.yaml"));
  EXPECT_EQ(Run({"tree", "llm"}), 0) << err_;
  EXPECT_EQ(out_, Golden("all-is-well/output.txt"));
  EXPECT_EQ(Run({"tree", "llm", "-n", "serving", "-o", "json"}), 0) << err_;
  EXPECT_EQ(out_, Golden("all-is-well/output.json"));
  EXPECT_OK(json::ParseValue(out_));
}

// Also the claim that only its pod leads to.
TEST_F(ClusterCommands, TreeSaysWhatIsStuck) {
  Hold(Golden("stuck/input.yaml"));
  EXPECT_EQ(Run({"tree", "llm"}), 1) << err_;
  EXPECT_EQ(out_, Golden("stuck/output.txt"));
}

TEST_F(ClusterCommands, TreeOfAClusterWithoutClaims) {
  Hold(Golden("no-claims-served/input.yaml"));
  EXPECT_EQ(Run({"tree", "llm"}), 1) << err_;
  EXPECT_EQ(out_, Golden("no-claims-served/output.txt"));
}

TEST_F(ClusterCommands, TreeSuggestsTheSetThatWasMeant) {
  Hold(Golden("all-is-well/input.yaml"));
  EXPECT_EQ(Run({"tree", "lmm"}), 2);
  EXPECT_EQ(err_,
            "hearth tree: there is no PodCliqueSet lmm in namespace serving; did you mean llm?\n");
  EXPECT_EQ(out_, "");
  EXPECT_EQ(Run({"tree", "Not/A/Name"}), 2);
  EXPECT_THAT(err_, StartsWith("hearth tree: Not/A/Name: "));
}

TEST_F(ClusterCommands, TreeOfAClusterThatKnowsNoSets) {
  knows_sets_ = false;
  EXPECT_EQ(Run({"tree", "llm"}), 2);
  EXPECT_EQ(err_, "hearth tree: the cluster knows no PodCliqueSets; is the operator installed?\n");
}

TEST_F(ClusterCommands, TreeSaysWhatItMayNotRead) {
  Hold(Golden("all-is-well/input.yaml"));
  forbids_pods_ = true;
  EXPECT_EQ(Run({"tree", "llm"}), 2);
  EXPECT_THAT(err_, HasSubstr("list pods"));
}

TEST_F(ClusterCommands, DescribeShowsTheWholeChain) {
  Hold(Golden("all-is-well/input.yaml", "graphs"));
  EXPECT_EQ(Run({"describe", "graph", "llm"}), 0) << err_;
  EXPECT_EQ(out_, Golden("all-is-well/output.txt", "graphs"));
  EXPECT_EQ(Run({"describe", "dgd", "llm", "-o", "json"}), 0) << err_;
  EXPECT_EQ(out_, Golden("all-is-well/output.json", "graphs"));
}

TEST_F(ClusterCommands, DescribeSaysWhatIsStuckAndWhatItMayNotRead) {
  std::string yaml = Golden("capture-failed/input.yaml", "graphs");
  Hold(yaml.substr(0, yaml.find("---\nkind: Unread")));
  forbids_contents_ = true;
  EXPECT_EQ(Run({"describe", "graph", "llm"}), 1) << err_;
  EXPECT_EQ(out_, Golden("capture-failed/output.txt", "graphs"));
}

TEST_F(ClusterCommands, DescribeOfAGraphThatIsNotThere) {
  Hold(Golden("all-is-well/input.yaml", "graphs"));
  EXPECT_EQ(Run({"describe", "graph", "lln"}), 2);
  EXPECT_EQ(err_,
            "hearth describe: there is no DynamoGraphDeployment lln in namespace serving; did you "
            "mean llm?\n");
  EXPECT_EQ(Run({"describe", "pod", "llm"}), 2);
}

TEST_F(ClusterCommands, GetListsGraphs) {
  EXPECT_EQ(Run({"get", "graphs"}), 0);
  EXPECT_EQ(err_, "there are no graphs here\n");
  Hold(Golden("all-is-well/input.yaml", "graphs"));
  EXPECT_EQ(Run({"get", "graphs"}), 0) << err_;
  EXPECT_THAT(out_, HasSubstr("\nllm   True   successful  vllm            2/2          1/1"));
  EXPECT_EQ(Run({"get", "graph", "llm", "-o", "json"}), 0) << err_;
  EXPECT_OK(json::ParseValue(out_));
  EXPECT_EQ(Run({"get", "graphs", "llm", "-A"}), 2);
}

TEST_F(ClusterCommands, CheckpointShowsOneAndListsAll) {
  Hold(Golden("all-is-well/input.yaml", "graphs"));
  EXPECT_EQ(Run({"checkpoint", "list"}), 0) << err_;
  EXPECT_THAT(out_, HasSubstr("\ncheckpoint-ef546284f45d8c6e  Ready"));
  EXPECT_EQ(Run({"checkpoint", "show", "checkpoint-ef546284f45d8c6e"}), 0) << err_;
  EXPECT_THAT(out_, HasSubstr("content podsnapshotcontent-0f1e2d3c"));
  EXPECT_EQ(Run({"checkpoint", "show"}), 2);
  EXPECT_EQ(Run({"checkpoint", "list", "one"}), 2);
  EXPECT_EQ(Run({"checkpoint", "wait", "one", "-A"}), 2);
}

TEST_F(ClusterCommands, RolloutTellsHowFarAGraphIs) {
  Hold(Golden("workers-are-updated/input.yaml", "graphs"));
  EXPECT_EQ(Run({"rollout", "status", "llm", "--watch=false"}), 0) << err_;
  EXPECT_EQ(out_,
            "graph serving/llm is under way: rolling_update_in_progress: Resources not ready: "
            "llm-worker-bbbb; Updating: the update of its workers is InProgress\n"
            "  component worker: 0 of 1 updated, 0 ready\n");
}

TEST_F(ClusterCommands, DiagnoseTakesLogsOfTheOperatorAndOfAgentsNearby) {
  Hold(Golden("all-is-well/input.yaml", "graphs"));
  const auto program = [&](const std::string& name, const std::string& label,
                           const std::string& node) {
    Hold("{kind: Pod, metadata: {name: " + name + ", namespace: hearth-system, labels: {" + label +
         "}}, spec: {nodeName: " + node +
         "}, status: {containerStatuses: [{name: main, restartCount: 1}]}}");
  };
  program("operator-0", "app.kubernetes.io/name: hearth-operator", "node-9");
  program("agent-1", "app.kubernetes.io/component: snapshot-agent", "node-1");
  program("agent-5", "app.kubernetes.io/component: snapshot-agent", "node-5");
  const TempDirectory directory;
  const std::string file = directory.path() + "/bundle.tar.gz";
  ASSERT_EQ(Run({"diagnose", "llm", "--file", file, "-o", "json"}), 0) << err_;
  const auto said = json::ParseValue(out_);
  ASSERT_OK(said);
  const std::string files = said->FindPath("manifest.files")->Write();
  for (const char* const path :
       {"logs/operator/hearth-system/operator-0/main.log",
        "logs/operator/hearth-system/operator-0/main-previous.log",
        "logs/agents/hearth-system/agent-1/main.log", "graphs/serving/llm.txt"}) {
    EXPECT_THAT(files, HasSubstr(path));
  }
  EXPECT_THAT(files, testing::Not(HasSubstr("agent-5")));
  EXPECT_THAT(said->FindPath("manifest.leftOut")->Write(),
              HasSubstr("agents hearth-system/agent-5"));
  EXPECT_THAT(said->FindPath("manifest.redacted")->Write(),
              HasSubstr("logs/operator/hearth-system/operator-0/main.log"));
}

constexpr const char* kManifest = R"(
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata: {name: llm, namespace: serving}
spec:
  replicas: 1
  template:
    cliques:
    - {name: router, spec: {roleName: router, replicas: 1, podSpec: {containers: [{name: main, image: router}]}}}
    - {name: worker, spec: {roleName: worker, replicas: 1, podSpec: {containers: [{name: main, image: worker}]}}}
    podCliqueScalingGroups:
    - {name: engine, cliqueNames: [worker], replicas: 1}
)";

class PlanFromCluster : public ClusterCommands {
 protected:
  void SetUp() override {
    ClusterCommands::SetUp();
    file_ = files_.path() + "/set.yaml";
    ASSERT_OK(RealFileSystem().Write(file_, kManifest, 0600));
  }
  TempDirectory files_;
  std::string file_;
};

// The group has two replicas there and one in the file: what is there counts, and stays.
TEST_F(PlanFromCluster, BeginsWithWhatIsThere) {
  Hold(Golden("all-is-well/input.yaml"));
  EXPECT_EQ(Run({"plan", "-f", file_, "--from-cluster", "--scale", "llm-0-engine=3"}), 0) << err_;
  EXPECT_THAT(out_, StartsWith("PodCliqueSet serving/llm: llm-0-engine from 2 to 3\n"));
  EXPECT_THAT(out_, HasSubstr("\n+ Pod llm-0-engine-2-worker-0\n"));
  EXPECT_THAT(out_, testing::Not(HasSubstr("+ Pod llm-0-engine-1-worker-0")));
  // The file has no claims any more.
  EXPECT_THAT(out_, HasSubstr("\n- ResourceClaim llm-0-engine-0-gpu: "));
}

TEST_F(PlanFromCluster, OfASetThatIsNotThere) {
  EXPECT_EQ(Run({"plan", "-f", file_, "--from-cluster", "-o", "json"}), 0) << err_;
  const auto plan = json::ParseValue(out_);
  ASSERT_OK(plan);
  EXPECT_TRUE(plan->Find("fresh")->boolean());
}

TEST_F(PlanFromCluster, OfAClusterThatKnowsNoSets) {
  knows_sets_ = false;
  EXPECT_EQ(Run({"plan", "-f", file_, "--from-cluster"}), 2);
  EXPECT_THAT(err_, HasSubstr("knows no PodCliqueSets"));
}

}  // namespace
}  // namespace hearth::cli
