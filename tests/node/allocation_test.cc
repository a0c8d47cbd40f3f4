// Claims that a real scheduler allocates, a real kubelet prepares and containers really see: the
// operator beside Kubernetes' own programs, the public example driver of simulated GPUs, pods in
// containers on this machine.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "base/strings.h"
#include "base/testing/status_matchers.h"
#include "claims/versions.h"
#include "eventually.h"
#include "example_driver.h"
#include "grove/reconcile/resources.h"
#include "json/parse.h"
#include "node_cluster.h"

namespace hearth::node {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Names = std::set<std::string>;

constexpr Duration kEnough = 3min;  // for pods on a busy machine

struct Claim {
  std::string uid;
  std::vector<std::string> devices;  // "gpu.example.com/node-1/gpu-0"
  Names pods;                        // that it is reserved for
};

struct Pod {
  std::string name;
  std::string address;
  Names claims;
};

std::string Read(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

// All that the pattern's group finds.
Names Find(const std::string& text, const std::string& pattern) {
  const std::regex expression(pattern);
  Names found;
  for (std::sregex_iterator at(text.begin(), text.end(), expression), end; at != end; ++at) {
    found.insert((*at)[1].str());
  }
  return found;
}

fs::path Example(const std::string& name) {
  return fs::path(HEARTH_SOURCE_DIR) / "examples" / name;
}

class RealAllocation : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto started = NodeCluster::Start();
    why_not_ = new Status(started.ok() ? (*started)->AddOperator() : started.status());
    cluster_ = started.ok() ? started->release() : nullptr;
  }
  static void TearDownTestSuite() {
    delete cluster_;
    delete why_not_;
  }
  void SetUp() override {
    if (cluster_ == nullptr && why_not_->Is(Code::kNotFound)) {
      GTEST_SKIP() << why_not_->ToString();
    }
    ASSERT_OK(*why_not_);
  }
  void TearDown() override {
    if (HasFailure() && cluster_ != nullptr) {
      ADD_FAILURE() << cluster_->LogTails() << (driver_ ? driver_->LogTail() : "") << "\n"
                    << cluster_->Kubectl({"get", "events", "-A"}).value_or("");
    }
  }

  // That many GPUs, and whatever class the manifest asks for is such a GPU; and its images.
  void StartDriver(int devices) {
    auto driver = ExampleDriver::Start(cluster_->plane(), cluster_->node(), devices);
    ASSERT_OK(driver.status());
    driver_ = *std::move(driver);
  }
  void Provide(const std::string& manifest) {
    for (const std::string& name : Find(manifest, "deviceClassName: ([^ \n]+)")) {
      ASSERT_OK(cluster_->MakeDeviceClass(name));
    }
    for (const std::string& image : Find(manifest, "image: \"([^\"]+)\"")) {
      ASSERT_OK(cluster_->node().LoadShellImage(image));
    }
  }
  std::string NewNamespace() {
    auto name = cluster_->plane().NewNamespace("allocation");
    EXPECT_OK(name);
    return name.ok() ? *name : "default";
  }

  std::vector<kube::Object> List(const kube::ResourceType& type, const std::string& name_space) {
    auto page = cluster_->client().List(type, name_space, NodeCluster::Limit());
    EXPECT_OK(page);
    return page.ok() ? page->items : std::vector<kube::Object>();
  }
  static const kube::ResourceType& ClaimType() {
    return claims::ResourceClaims(claims::ApiVersion::kV1);
  }
  std::map<std::string, Claim> Claims(const std::string& name_space) {
    std::map<std::string, Claim> claims;
    for (const kube::Object& object : List(ClaimType(), name_space)) {
      Claim& claim = claims[object.meta().name()];
      claim.uid = object["metadata"]["uid"].StringOr("");
      for (const json::View result : object["status"]["allocation"]["devices"]["results"].items()) {
        claim.devices.push_back(result["driver"].StringOr("") + "/" + result["pool"].StringOr("") +
                                "/" + result["device"].StringOr(""));
      }
      for (const json::View consumer : object["status"]["reservedFor"].items()) {
        claim.pods.insert(consumer["name"].StringOr(""));
      }
    }
    return claims;
  }
  Names ClaimNames(const std::string& name_space) {
    Names names;
    for (const auto& [name, claim] : Claims(name_space)) {
      names.insert(name);
    }
    return names;
  }
  // By what people call them: the names of Pod objects end in random characters.
  std::map<std::string, Pod> Pods(const std::string& name_space) {
    std::map<std::string, Pod> pods;
    for (const kube::Object& object : List(kube::types::Pods(), name_space)) {
      Pod& pod = pods[object["spec"]["hostname"].StringOr("")];
      pod.name = object.meta().name();
      pod.address = object["status"]["podIP"].StringOr("");
      for (const json::View claim : object["spec"]["resourceClaims"].items()) {
        pod.claims.insert(claim["resourceClaimName"].StringOr(""));
      }
    }
    return pods;
  }

  Names HostNames(const std::string& name_space) {
    Names names;
    for (const auto& [host, pod] : Pods(name_space)) {
      names.insert(host);
    }
    return names;
  }

  // These pods and no others, all of them running.
  void AwaitReady(const std::string& name_space, const Names& hosts) {
    ASSERT_TRUE(Eventually([&] { return HostNames(name_space) == hosts; }, kEnough))
        << testing::PrintToString(HostNames(name_space)) << " instead of "
        << testing::PrintToString(hosts);
    // kubectl waits until all are, for as long as it is let.
    const bool ready = Eventually(
        [&] {
          return cluster_
              ->Kubectl({"wait", "--for=condition=Ready", "pods", "--all", "-n", name_space,
                         "--timeout=30s"})
              .ok();
        },
        kEnough);
    ASSERT_TRUE(ready) << cluster_->Kubectl({"describe", "pods", "-n", name_space}).value_or("");
  }

  // What a process in the pod's container sees.
  std::map<std::string, std::string> Environment(const std::string& name_space,
                                                 const std::string& pod) {
    const auto text = cluster_->Kubectl({"exec", "-n", name_space, pod, "-c", "main", "--", "env"});
    EXPECT_OK(text);
    std::map<std::string, std::string> variables;
    for (const std::string_view line : Split(text.ok() ? std::string_view(*text) : "", '\n')) {
      const size_t sign = line.find('=');
      if (sign != std::string_view::npos) {
        variables.emplace(line.substr(0, sign), line.substr(sign + 1));
      }
    }
    return variables;
  }

  // The driver has told the container of exactly the devices of the pod's claims, each by its own
  // name and with the claim that it is there for.
  void ExpectDevicesSeen(const std::string& name_space, const Pod& pod,
                         const std::map<std::string, Claim>& claims) {
    std::map<std::string, std::string> expected;
    for (const std::string& name : pod.claims) {
      ASSERT_TRUE(claims.contains(name)) << name;
      for (const std::string& device : claims.at(name).devices) {
        const std::string gpu = device.substr(device.rfind('/') + 1);  // gpu-3
        const std::string variable = "GPU_DEVICE_" + gpu.substr(4);
        expected[variable] = gpu;
        expected[variable + "_RESOURCE_CLAIM"] = claims.at(name).uid;
      }
    }
    const auto seen = Environment(name_space, pod.name);
    std::map<std::string, std::string> devices;
    for (const auto& [variable, value] : seen) {
      if (std::regex_match(variable, std::regex("GPU_DEVICE_[0-9]+(_RESOURCE_CLAIM)?"))) {
        devices[variable] = value;
      }
    }
    EXPECT_EQ(devices, expected) << pod.name;
    EXPECT_EQ(seen.contains("DRA_RESOURCE_DRIVER_NAME"), !expected.empty()) << pod.name;
  }

  // No device is in two claims.
  static Names DevicesOf(const std::map<std::string, Claim>& claims) {
    Names devices;
    for (const auto& [name, claim] : claims) {
      for (const std::string& device : claim.devices) {
        EXPECT_TRUE(devices.insert(device).second) << device << " is also in " << name;
      }
    }
    return devices;
  }

  // Everything that came of the sets goes with them; so do devices and containers.
  void DeleteSets(const std::string& name_space) {
    ASSERT_OK(
        cluster_->Kubectl({"delete", "podcliquesets", "--all", "--wait=false", "-n", name_space}));
    for (const auto* type :
         {&ClaimType(), &kube::types::Pods(), &grove::PodCliqueSets(), &grove::PodCliques(),
          &grove::PodCliqueScalingGroups(), &grove::PodGangs(), &kube::types::Services(),
          &grove::Roles(), &grove::RoleBindings()}) {
      EXPECT_TRUE(Eventually([&] { return List(*type, name_space).empty(); }, kEnough))
          << List(*type, name_space).size() << " " << type->name << " are left";
    }
  }
  void ExpectNothingLeftOnTheNode() {
    EXPECT_TRUE(Eventually([&] { return driver_->PreparedClaims().empty(); }, kEnough));
    // The kubelet looks for what is left of pods once a minute.
    const auto containers = [] {
      return cluster_->node().Containers().value_or(std::vector<std::string>{"cannot be asked"});
    };
    EXPECT_TRUE(Eventually([&] { return containers().empty(); }, kEnough))
        << testing::PrintToString(containers());
    EXPECT_TRUE(Eventually([&] { return KubeletRig::PodCgroups().empty(); }, kEnough))
        << testing::PrintToString(KubeletRig::PodCgroups());
  }

  // All that a manifest comes to, as `hearth plan` tells it.
  static Names PlannedPods(const std::string& file) {
    const auto outcome = cluster_->Hearth({"plan", "-f", file, "-o", "json"});
    EXPECT_OK(outcome);
    const auto plan = json::ParseValue(outcome.ok() ? outcome->output : "");
    EXPECT_OK(plan);
    Names names;
    for (const json::Value& change : plan->Find("kinds")->items()) {
      if (change.Find("kind")->string() == "Pod") {
        for (const json::Value& name : change.Find("created")->items()) {
          names.insert(name.string());
        }
      }
    }
    return names;
  }
  ProcessOutcome Tree(const std::string& name_space, const std::string& set) {
    auto outcome = cluster_->Hearth({"tree", set, "-n", name_space});
    EXPECT_OK(outcome);
    return outcome.ok() ? *std::move(outcome) : ProcessOutcome{.exit_code = -1};
  }

  static NodeCluster* cluster_;
  static Status* why_not_;
  std::unique_ptr<ExampleDriver> driver_;
};
NodeCluster* RealAllocation::cluster_ = nullptr;
Status* RealAllocation::why_not_ = nullptr;

// "#   <claim>: <pod> <pod>" below "# Claims".
std::map<std::string, Names> SaidClaims(const std::string& manifest) {
  std::map<std::string, Names> claims;
  bool within = false;
  for (const std::string_view line : Split(manifest, '\n')) {
    const bool entry = line.starts_with("#   ");
    if (within && entry) {
      const auto words = Split(Trim(line.substr(1)), ' ');
      claims[std::string(words[0].substr(0, words[0].size() - 1))] =
          Names(words.begin() + 1, words.end());
    }
    within = line == "# Claims" || (within && entry);
  }
  return claims;
}

// Each manifest of examples/sharing, unchanged: the claims that it says, allocated and held by the
// pods that it says, which run and see their devices.
TEST_F(RealAllocation, TheExamplesRunAsTheySay) {
  StartDriver(64);
  ASSERT_OK(cluster_->Apply(R"(
apiVersion: v1
kind: Namespace
metadata: {name: security}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: audit, namespace: security}
spec: {spec: {devices: {requests: [{name: log, exactly: {deviceClassName: gpu.nvidia.com}}]}}}
)"));
  std::map<std::string, fs::path> manifests;  // by the namespace that each is in
  for (const fs::directory_entry& entry : fs::directory_iterator(Example("sharing"))) {
    Provide(Read(entry.path()));
    const std::string name_space = NewNamespace();
    ASSERT_OK(cluster_->Kubectl({"apply", "-n", name_space, "-f", entry.path()}));
    manifests[name_space] = entry.path();
  }
  EXPECT_GE(manifests.size(), 9U);
  for (const auto& [name_space, file] : manifests) {
    SCOPED_TRACE(file.filename().string());
    ASSERT_NO_FATAL_FAILURE(AwaitReady(name_space, PlannedPods(file)));
    const auto pods = Pods(name_space);
    const auto claims = Claims(name_space);
    std::map<std::string, Names> held;
    for (const auto& [name, claim] : claims) {
      EXPECT_FALSE(claim.devices.empty()) << name << " is not allocated";
      held[name];
      for (const auto& [host, pod] : pods) {
        if (claim.pods.contains(pod.name)) {
          held[name].insert(host);
        }
      }
    }
    EXPECT_EQ(held, SaidClaims(Read(file)));
    for (const auto& [host, pod] : pods) {
      ExpectDevicesSeen(name_space, pod, claims);
    }
  }
  std::map<std::string, Claim> all;
  for (const auto& [name_space, file] : manifests) {
    all.merge(Claims(name_space));
  }
  EXPECT_GT(DevicesOf(all).size(), 20U);
  for (const auto& [name_space, file] : manifests) {
    DeleteSets(name_space);
  }
}

// One pod with a GPU of its own.
constexpr const char* kLate = R"(
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata: {name: late, namespace: $namespace}
spec:
  replicas: 1
  template:
    resourceClaimTemplates:
    - {name: gpu, templateSpec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com}}]}}}}
    resourceSharing:
    - {name: gpu, scope: PerReplica}
    cliques:
    - name: one
      spec: {roleName: one, replicas: 1, podSpec: {containers: [{name: main, image: "registry.example/engine:1.0"}]}}
)";

TEST_F(RealAllocation, CliquesShareADeviceAndScalingInFreesTheOthers) {
  StartDriver(3);
  Provide(Read(Example("grove/shared-gpu.yaml")));
  const std::string name_space = NewNamespace();
  ASSERT_OK(cluster_->Kubectl({"apply", "-n", name_space, "-f", Example("grove/shared-gpu.yaml")}));
  const Names hosts = {"duo-0-engine-0", "duo-0-engine-1", "duo-0-weights-0"};
  ASSERT_NO_FATAL_FAILURE(AwaitReady(name_space, hosts));

  // Allocated: one device for all pods, one for each engine, all three different.
  const auto pods = Pods(name_space);
  const auto claims = Claims(name_space);
  ASSERT_EQ(ClaimNames(name_space),
            Names({"duo-all-shared-gpu", "duo-0-engine-0-own-gpu", "duo-0-engine-1-own-gpu"}));
  EXPECT_EQ(DevicesOf(claims),
            Names({"gpu.example.com/node-1/gpu-0", "gpu.example.com/node-1/gpu-1",
                   "gpu.example.com/node-1/gpu-2"}));
  EXPECT_EQ(claims.at("duo-all-shared-gpu").pods,
            Names({pods.at("duo-0-weights-0").name, pods.at("duo-0-engine-0").name,
                   pods.at("duo-0-engine-1").name}));
  for (const std::string engine : {"duo-0-engine-0", "duo-0-engine-1"}) {
    EXPECT_EQ(claims.at(engine + "-own-gpu").pods, Names({pods.at(engine).name}));
  }
  // Prepared, and seen by what runs in the containers of both cliques.
  EXPECT_EQ(driver_->PreparedClaims().size(), 3U);
  for (const auto& [host, pod] : pods) {
    ExpectDevicesSeen(name_space, pod, claims);
    EXPECT_THAT(pod.address, testing::StartsWith("10.77.")) << "a network of its own";
  }
  const std::string shared = claims.at("duo-all-shared-gpu").devices.at(0);
  const std::string variable = "GPU_DEVICE_" + shared.substr(shared.rfind('-') + 1);
  for (const auto& [host, pod] : pods) {
    const auto seen = Environment(name_space, pod.name);
    EXPECT_EQ(seen.at(variable + "_RESOURCE_CLAIM"), claims.at("duo-all-shared-gpu").uid) << host;
    EXPECT_EQ(seen.at("KUBERNETES_NODE_NAME"), "node-1");
  }
  const ProcessOutcome tree = Tree(name_space, "duo");
  EXPECT_EQ(tree.exit_code, 0) << tree.output << tree.errors;
  EXPECT_THAT(tree.output, HasSubstr("AllReplicas of shared-gpu, 3 pods, " + shared));
  EXPECT_THAT(tree.output, HasSubstr("3 pods: 3 ready; 3 claims: 3 allocated; 0 problems"));

  // There is no fourth device.
  std::string late = kLate;
  late.replace(late.find("$namespace"), 10, name_space);
  ASSERT_OK(cluster_->Apply(late));
  ASSERT_TRUE(Eventually([&] { return Tree(name_space, "late").exit_code == 1; }, kEnough));
  EXPECT_TRUE(Eventually([&] {
    return Tree(name_space, "late").output.find("! Unschedulable:") != std::string::npos;
  })) << Tree(name_space, "late").output;
  EXPECT_THAT(Claims(name_space).at("late-0-gpu").devices, IsEmpty());

  // One engine less: its claim goes, and its device is the next one's.
  const std::string freed = claims.at("duo-0-engine-1-own-gpu").devices.at(0);
  ASSERT_OK(
      cluster_->Kubectl({"scale", "podcliques/duo-0-engine", "--replicas=1", "-n", name_space}));
  ASSERT_NO_FATAL_FAILURE(
      AwaitReady(name_space, {"duo-0-engine-0", "duo-0-weights-0", "late-0-one-0"}));
  // The device is free when its pod is gone, the claim goes when the operator has seen it.
  const Names left = {"duo-all-shared-gpu", "duo-0-engine-0-own-gpu", "late-0-gpu"};
  EXPECT_TRUE(Eventually([&] { return ClaimNames(name_space) == left; }, kEnough))
      << testing::PrintToString(ClaimNames(name_space));
  const auto now = Claims(name_space);
  EXPECT_THAT(now.at("late-0-gpu").devices, ElementsAre(freed));
  EXPECT_EQ(now.at("duo-all-shared-gpu").devices, claims.at("duo-all-shared-gpu").devices);
  EXPECT_TRUE(
      Eventually([&] { return Claims(name_space).at("duo-all-shared-gpu").pods.size() == 2; }));
  for (const auto& [host, pod] : Pods(name_space)) {
    ExpectDevicesSeen(name_space, pod, now);
  }

  DeleteSets(name_space);
  ExpectNothingLeftOnTheNode();
}

}  // namespace
}  // namespace hearth::node
