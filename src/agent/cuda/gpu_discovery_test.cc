#include "agent/cuda/gpu_discovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "json/parse.h"

namespace hearth::agent::cuda {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Uuids = std::vector<std::string>;

constexpr const char* kA = "GPU-aaaaaaaa-0000-0000-0000-000000000000";
constexpr const char* kB = "GPU-bbbbbbbb-0000-0000-0000-000000000000";
constexpr const char* kC = "GPU-cccccccc-0000-0000-0000-000000000000";

json::Blob Json(std::string_view text) { return *json::Parse(text); }

class Cluster : public ClaimReader {
 public:
  Result<json::Blob> Pod(std::string_view, std::string_view, const WaitLimit&) override {
    return pod;
  }
  Result<json::Blob> Claim(std::string_view, std::string_view, const WaitLimit&) override {
    return claim;
  }
  Result<std::vector<json::Blob>> SlicesOfNode(std::string_view node, const WaitLimit&) override {
    return node == "n1" ? slices : std::vector<json::Blob>();
  }
  Result<json::Blob> pod = Json(R"({"spec": {
    "resourceClaims": [{"name": "g", "resourceClaimName": "c"}],
    "containers": [{"name": "main", "resources": {"claims": [{"name": "g"}]}}]}})");
  Result<json::Blob> claim = Json(R"({"status": {"allocation": {"devices": {"results": [
    {"request": "r", "driver": "gpu.nvidia.com", "pool": "n1", "device": "gpu-0"},
    {"request": "r", "driver": "gpu.nvidia.com", "pool": "n1", "device": "gpu-1"}]}}}})");
  std::vector<json::Blob> slices = {Json(
      R"({"spec": {"driver": "gpu.nvidia.com", "pool": {"name": "n1", "generation": 1}, "devices": [
      {"name": "gpu-0", "attributes": {"uuid": {"string": "GPU-aaaaaaaa-0000-0000-0000-000000000000"}}},
      {"name": "gpu-1", "attributes": {"uuid": {"string": "GPU-bbbbbbbb-0000-0000-0000-000000000000"}}}
      ]}})")};
};

class Kubelet : public AssignedDevices {
 public:
  Result<Uuids> Of(std::string_view, std::string_view, std::string_view, std::string_view resource,
                   const WaitLimit&) override {
    return resource == "nvidia.com/gpu" ? ids : Result<Uuids>(Uuids());
  }
  Result<Uuids> ids = Uuids();
};

class Seen : public ContainerGpus {
 public:
  Result<Uuids> SeenBy(int, const WaitLimit&) override { return uuids; }
  Result<Uuids> uuids = Uuids{kB, kA};
};

class GpuDiscoveryTest : public testing::Test {
 protected:
  Result<Uuids> Find() {
    return GpuDiscovery(&cluster_, &kubelet_, &seen_).Find(question_, WaitLimit::Forever());
  }
  Cluster cluster_;
  Kubelet kubelet_;
  Seen seen_;
  GpuQuestion question_{.pod_namespace = "ns",
                        .pod = "p",
                        .container = "main",
                        .node = "n1",
                        .pid = 5,
                        .visible_devices = ""};
};

// A90
TEST_F(GpuDiscoveryTest, ClaimsComeFirstInTheContainersOrder) {
  kubelet_.ids = Uuids{kC};
  EXPECT_THAT(*Find(), ElementsAre(kB, kA));
}

TEST_F(GpuDiscoveryTest, OnceClaimsAreReferencedNothingElseIsBelieved) {
  kubelet_.ids = Uuids{kC};
  seen_.uuids = Uuids{kA};
  EXPECT_CODE(Code::kInvalid, Find());
  seen_.uuids = UnavailableError("no");
  EXPECT_CODE(Code::kUnavailable, Find());
  seen_.uuids = Uuids{kA, kB};
  cluster_.slices.clear();
  EXPECT_CODE(Code::kNotFound, Find());
  cluster_.claim = UnavailableError("the server is away");
  EXPECT_CODE(Code::kUnavailable, Find());
}

TEST_F(GpuDiscoveryTest, AServerThatDoesNotAnswerLeavesItToTheKubelet) {
  cluster_.pod = UnavailableError("the server is away");
  kubelet_.ids = Uuids{kC, std::string(kA) + "::2"};
  EXPECT_THAT(*Find(), ElementsAre(kC, kA));
}

TEST_F(GpuDiscoveryTest, ClaimsOfOtherDriversLeaveItToTheKubelet) {
  cluster_.claim = Json(R"({"status": {"allocation": {"devices": {"results": []}}}})");
  kubelet_.ids = Uuids{kC};
  EXPECT_THAT(*Find(), ElementsAre(kC));
}

TEST_F(GpuDiscoveryTest, ThenTheContainerIsAskedAndLastWhatWasAskedFor) {
  cluster_.pod = Json(R"({"spec": {"containers": [{"name": "main"}]}})");
  EXPECT_THAT(*Find(), ElementsAre(kB, kA));
  kubelet_.ids = UnavailableError("no kubelet");
  EXPECT_THAT(*Find(), ElementsAre(kB, kA));
  seen_.uuids = UnavailableError("no driver");
  question_.visible_devices = kC;
  EXPECT_THAT(*Find(), ElementsAre(kC));
  question_.visible_devices = "all";
  const auto none = Find();
  EXPECT_EQ(none.status().code(), Code::kNotFound);
  EXPECT_THAT(none.status().ToString(), HasSubstr("no driver"));
}

TEST_F(GpuDiscoveryTest, WithoutAPodOnlyTheContainerCounts) {
  EXPECT_THAT(*GpuDiscovery(nullptr, nullptr, &seen_).Find({.pid = 3}, WaitLimit::Forever()),
              ElementsAre(kB, kA));
  EXPECT_CODE(Code::kNotFound,
              GpuDiscovery(nullptr, nullptr, nullptr).Find({.pid = 3}, WaitLimit::Forever()));
}

}  // namespace
}  // namespace hearth::agent::cuda
