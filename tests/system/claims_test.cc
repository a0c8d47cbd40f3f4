// GPUs that come through resource claims: asked of a real kube-apiserver under the agent's rights.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "agent/claims/api_claims.h"
#include "base/strings.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "kube/config/credentials.h"
#include "kube/testing/control_plane.h"
#include "net/event_loop.h"

namespace hearth::agent {
namespace {

using testing::ElementsAre;
using Uuids = std::vector<std::string>;

constexpr const char* kA = "GPU-aaaaaaaa-0000-0000-0000-000000000000";
constexpr const char* kB = "GPU-bbbbbbbb-0000-0000-0000-000000000000";
constexpr const char* kC = "GPU-cccccccc-0000-0000-0000-000000000000";

// The container's own view, which only a driver could give.
class Seen : public cuda::ContainerGpus {
 public:
  Result<Uuids> SeenBy(int, const WaitLimit&) override { return uuids; }
  Uuids uuids = {kB, kA};
};

class ClaimsSystem : public testing::Test {
 protected:
  void SetUp() override {
    std::string why_not;
    plane_ = kube::SharedControlPlane(&why_not);
    if (plane_ == nullptr) {
      GTEST_SKIP() << why_not;
    }
    const auto name_space = plane_->NewNamespace("claims");
    ASSERT_OK(name_space);
    name_space_ = *name_space;
    node_ = "node-of-" + name_space_;
    static_cast<void>(plane_->Kubectl({"create", "namespace", "hearth-system"}));
    ASSERT_OK(plane_->Kubectl(
        {"apply", "-f", std::string(HEARTH_SOURCE_DIR) + "/deploy/agent/rbac.yaml"}));
    const auto token =
        plane_->Kubectl({"create", "token", "snapshot-agent", "-n", "hearth-system"});
    ASSERT_OK(token);
    kube::Config config = plane_->config();
    config.credentials = kube::StaticToken(std::string(Trim(*token)));
    auto transport = kube::MakeHttpTransport(loop_, config, kube::ConfigSources::Real());
    ASSERT_OK(transport);
    transport_ = *std::move(transport);
    client_ = std::make_unique<kube::Client>(*transport_, RealClock());
    discovery_ = std::make_unique<kube::Discovery>(*client_, RealClock());
    claims_ = MakeApiClaims(*client_, *discovery_, RealClock());
    AddSlice(node_, "gpu.nvidia.com", kA, kB);
    // Devices of the same names, of somebody else.
    AddSlice(node_, "other.example.com", kC, kC);
    AddSlice(node_ + "-2", "gpu.nvidia.com", kC, kC);
  }

  void Apply(const std::string& yaml) {
    const std::string file = folder_ / "object.yaml";
    std::ofstream(file) << yaml;
    ASSERT_OK(plane_->Kubectl({"apply", "-n", name_space_, "-f", file}));
  }
  void SetStatus(const std::string& object, const std::string& status) {
    ASSERT_OK(plane_->Kubectl({"patch", "-n", name_space_, object, "--subresource=status",
                               "--type=merge", "-p", R"({"status":)" + status + "}"}));
  }
  void AddSlice(const std::string& node, const std::string& driver, const std::string& first,
                const std::string& second) {
    Apply(fmt::format(R"(
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {{name: {0}-{1}}}
spec:
  driver: {1}
  nodeName: {0}
  pool: {{name: {0}, generation: 1, resourceSliceCount: 1}}
  devices:
  - {{name: gpu-0, attributes: {{uuid: {{string: {2}}}}}}}
  - {{name: gpu-1, attributes: {{uuid: {{string: {3}}}}}}}
)",
                      node, driver, first, second));
  }
  void AddClaim(const std::string& name) {
    Apply(fmt::format(R"(
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {{name: {}}}
spec: {{devices: {{requests: [{{name: gpus, exactly: {{deviceClassName: gpu.nvidia.com, count: 1}}}}]}}}}
)",
                      name));
  }
  // As the scheduler does.
  void Allocate(const std::string& claim, const std::string& device) {
    SetStatus("resourceclaim/" + claim,
              fmt::format(R"({{"allocation":{{"devices":{{"results":[{{"request":"gpus",
                "driver":"gpu.nvidia.com","pool":"{}","device":"{}"}}]}}}}}})",
                          node_, device));
  }
  // One claim by its name, one made from a template.
  void AddPod() {
    Apply(fmt::format(R"(
apiVersion: v1
kind: Pod
metadata: {{name: worker}}
spec:
  nodeName: {}
  resourceClaims:
  - {{name: first, resourceClaimName: named}}
  - {{name: second, resourceClaimTemplateName: template}}
  containers:
  - {{name: main, image: i, resources: {{claims: [{{name: first}}, {{name: second}}]}}}}
  - {{name: side, image: i}}
)",
                      node_));
  }
  Result<Uuids> Find(const std::string& container = "main") {
    return cuda::GpuDiscovery(claims_.get(), nullptr, &seen_)
        .Find({.pod_namespace = name_space_,
               .pod = "worker",
               .container = container,
               .node = node_,
               .pid = 1},
              WaitLimit::For(RealClock(), std::chrono::minutes(3)));
  }

  kube::TestControlPlane* plane_ = nullptr;
  const TempDirectory folder_;
  std::string name_space_, node_;
  net::EventLoop loop_{"test"};
  std::unique_ptr<kube::Transport> transport_;
  std::unique_ptr<kube::Client> client_;
  std::unique_ptr<kube::Discovery> discovery_;
  std::unique_ptr<cuda::ClaimReader> claims_;
  Seen seen_;
};

// A90, with objects that a real server took.
TEST_F(ClaimsSystem, TheGpusOfAContainerAreThoseOfItsClaims) {
  AddClaim("named");
  AddClaim("made");
  Allocate("named", "gpu-0");
  AddPod();
  // Nobody has said yet what the template's claim is.
  EXPECT_CODE(Code::kInvalid, Find());
  SetStatus("pod/worker",
            R"({"resourceClaimStatuses":[{"name":"second","resourceClaimName":"made"}]})");
  // It is not allocated.
  EXPECT_CODE(Code::kUnavailable, Find());
  Allocate("made", "gpu-1");
  ASSERT_OK_AND_ASSIGN(const Uuids found, Find());
  EXPECT_THAT(found, ElementsAre(kB, kA));
  // Whoever has no claims is asked himself.
  seen_.uuids = {kC};
  EXPECT_THAT(*Find("side"), ElementsAre(kC));
  // The container has another GPU than its claims.
  EXPECT_CODE(Code::kInvalid, Find());
}

}  // namespace
}  // namespace hearth::agent
