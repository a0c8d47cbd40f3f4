#include "agent/cuda/dra.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "json/parse.h"

namespace hearth::agent::cuda {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kA = "GPU-aaaaaaaa-0000-0000-0000-000000000000";
constexpr const char* kB = "GPU-bbbbbbbb-0000-0000-0000-000000000000";

json::Blob Json(std::string_view text) { return *json::Parse(text); }

const char* const kPod = R"({
  "spec": {
    "resourceClaims": [
      {"name": "mine", "resourceClaimName": "claim-1"},
      {"name": "made", "resourceClaimTemplateName": "t"},
      {"name": "unmade", "resourceClaimTemplateName": "t"},
      {"name": "needless", "resourceClaimTemplateName": "t"}],
    "initContainers": [{"name": "init", "resources": {"claims": [{"name": "made"}]}}],
    "containers": [
      {"name": "main", "resources": {"claims": [
        {"name": "mine", "request": "gpu"}, {"name": "mine", "request": "more"},
        {"name": "made"}, {"name": "needless"}]}},
      {"name": "plain"},
      {"name": "whole", "resources": {"claims": [{"name": "mine", "request": "gpu"}, {"name": "mine"}]}},
      {"name": "early", "resources": {"claims": [{"name": "unmade"}]}},
      {"name": "wrong", "resources": {"claims": [{"name": "absent"}]}}]},
  "status": {"resourceClaimStatuses": [
    {"name": "made", "resourceClaimName": "pod-made-x"}, {"name": "needless"}]}})";

// A90: claims count per container and request.
TEST(Claims, AreThoseOfTheContainer) {
  const json::Blob pod = Json(kPod);
  ASSERT_OK_AND_ASSIGN(const auto main, ClaimsOfContainer(pod.view(), "main"));
  ASSERT_EQ(main.size(), 2U);
  EXPECT_EQ(main[0].claim, "claim-1");
  EXPECT_THAT(main[0].requests, ElementsAre("gpu", "more"));
  EXPECT_EQ(main[1].claim, "pod-made-x");
  EXPECT_THAT(main[1].requests, IsEmpty());
  EXPECT_THAT(*ClaimsOfContainer(pod.view(), "plain"), IsEmpty());
  EXPECT_THAT(*ClaimsOfContainer(pod.view(), "init"),
              ElementsAre(Field(&ClaimUse::claim, "pod-made-x")));
  ASSERT_OK_AND_ASSIGN(const auto whole, ClaimsOfContainer(pod.view(), "whole"));
  EXPECT_THAT(whole, ElementsAre(Field(&ClaimUse::requests, IsEmpty())));
  for (const char* const name : {"early", "wrong", "absent"}) {
    EXPECT_CODE(Code::kInvalid, ClaimsOfContainer(pod.view(), name));
  }
}

TEST(Claims, GiveTheDevicesOfTheirRequests) {
  const json::Blob claim = Json(R"({"status": {"allocation": {"devices": {"results": [
    {"request": "gpu/large", "driver": "gpu.nvidia.com", "pool": "n", "device": "gpu-0"},
    {"request": "gpu2", "driver": "gpu.nvidia.com", "pool": "n", "device": "gpu-1"},
    {"request": "gpu", "driver": "net.example.com", "pool": "n", "device": "nic-0"}]}}}})");
  EXPECT_THAT(*AllocatedGpus(claim.view(), {"c", {"gpu"}}),
              ElementsAre(AllocatedDevice{"n", "gpu-0"}));
  EXPECT_THAT(*AllocatedGpus(claim.view(), {"c", {}}),
              ElementsAre(AllocatedDevice{"n", "gpu-0"}, AllocatedDevice{"n", "gpu-1"}));
  EXPECT_THAT(*AllocatedGpus(claim.view(), {"c", {"other"}}), IsEmpty());
  const json::Blob unallocated = Json("{}");
  EXPECT_CODE(Code::kUnavailable, AllocatedGpus(unallocated.view(), {"c", {}}));
}

TEST(Slices, TellTheUuidsOfTheNewestGeneration) {
  const json::Blob old_slice = Json(
      R"({"spec": {"driver": "gpu.nvidia.com", "pool": {"name": "n", "generation": 1}, "devices":
      [{"name": "gpu-0", "attributes": {"uuid": {"string": "old"}}}]}})");
  const json::Blob new_slice = Json(
      R"({"spec": {"driver": "gpu.nvidia.com", "pool": {"name": "n", "generation": 2}, "devices":
      [{"name": "gpu-0", "attributes": {"uuid": {"string": "new"}}},
       {"name": "gpu-1", "basic": {"attributes": {"gpu.nvidia.com/uuid": {"string": "deep"}}}},
       {"name": "gpu-2"}]}})");
  const std::vector<json::View> slices = {old_slice.view(), new_slice.view()};
  EXPECT_THAT(*UuidsOfDevices({{"n", "gpu-1"}, {"n", "gpu-0"}}, slices),
              ElementsAre("deep", "new"));
  EXPECT_CODE(Code::kNotFound, UuidsOfDevices({{"n", "gpu-2"}}, slices));
  EXPECT_CODE(Code::kNotFound, UuidsOfDevices({{"other", "gpu-0"}}, slices));
  EXPECT_CODE(Code::kNotFound, UuidsOfDevices({{"n", "gpu-0"}}, {}));
}

TEST(ClaimedGpus, TakeTheOrderOfTheContainer) {
  EXPECT_THAT(*InOrderOfContainer({kA, kB}, {kB, kA}), ElementsAre(kB, kA));
}

// A90: the six ways in which claims and container do not fit.
TEST(ClaimedGpus, ThatAreNotThoseOfTheContainerAreRefused) {
  const auto why = [](const std::vector<std::string>& claimed,
                      const std::vector<std::string>& listed) {
    return InOrderOfContainer(claimed, listed).status().ToString();
  };
  EXPECT_THAT(why({kA}, {kA, kB}), HasSubstr("1 GPUs claimed and 2 in the container"));
  EXPECT_THAT(why({kA}, {kB}), HasSubstr("not the same GPUs"));
  EXPECT_THAT(why({kA, kA}, {kA, kB}), HasSubstr("GPUs of the claims: " + std::string(kA)));
  EXPECT_THAT(why({kA, kB}, {kB, kB}), HasSubstr("GPUs in the container: " + std::string(kB)));
  EXPECT_THAT(why({"gpu-0"}, {kA}), HasSubstr("GPUs of the claims: 'gpu-0'"));
  EXPECT_THAT(why({kA}, {"0"}), HasSubstr("GPUs in the container: '0'"));
}

}  // namespace
}  // namespace hearth::agent::cuda
