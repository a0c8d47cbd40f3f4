#include "dynamo/render/gpu_claim.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "json/parse.h"

namespace hearth::dynamo {
namespace {

using json::Value;
using testing::HasSubstr;

Value Json(std::string_view text) {
  auto value = json::ParseValue(text);
  EXPECT_OK(value);
  return value.ok() ? *std::move(value) : Value();
}

// D1
TEST(GpuClaimTest, AnEmptyPodIsRefused) {
  Value pod = Json("{}");
  const Status status = UseGpuClaim(pod, "main", "t");
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("pod spec must have at least one container for DRA claim"));
}

// D2
TEST(GpuClaimTest, TheClaimReplacesTheLimit) {
  Value pod = Json(R"({"containers":[{"name":"main","resources":{"limits":)"
                   R"({"nvidia.com/gpu":1,"cpu":"2"}}}]})");
  ASSERT_OK(UseGpuClaim(pod, "main", "t"));
  EXPECT_EQ(pod.Write(),
            R"({"containers":[{"name":"main","resources":{"limits":{"cpu":"2"},"claims":)"
            R"([{"name":"intrapod-shared-gpu"}]}}],"tolerations":[{"key":"nvidia.com/gpu",)"
            R"("operator":"Exists","effect":"NoSchedule"}],"resourceClaims":[{"name":)"
            R"("intrapod-shared-gpu","resourceClaimTemplateName":"t"}]})");
  const std::string once = pod.Write();
  ASSERT_OK(UseGpuClaim(pod, "main", "t"));
  EXPECT_EQ(pod.Write(), once);
}

// D4
TEST(GpuClaimTest, AStaleClaimOfTheNameIsReplacedAndOthersStay) {
  Value pod =
      Json(R"({"containers":[{"name":"main","resources":{"claims":[{"name":"net"}]}}],)"
           R"("tolerations":[{"key":"nvidia.com/gpu","effect":"NoSchedule","operator":"Exists"}],)"
           R"("resourceClaims":[{"name":"intrapod-shared-gpu","resourceClaimTemplateName":"old"},)"
           R"({"name":"net","resourceClaimName":"n"}]})");
  ASSERT_OK(UseGpuClaim(pod, "main", "new"));
  EXPECT_EQ(pod.Find("resourceClaims")->Write(),
            R"([{"name":"intrapod-shared-gpu","resourceClaimTemplateName":"new"},)"
            R"({"name":"net","resourceClaimName":"n"}])");
  EXPECT_EQ(pod.Find("tolerations")->items().size(), 1U);
  EXPECT_EQ(pod.FindPath("containers")->items()[0].FindPath("resources.claims")->items().size(),
            2U);
}

// D5, W2: the named container, wherever it stands
TEST(GpuClaimTest, OnlyTheNamedContainerChanges) {
  Value pod = Json(R"({"containers":[{"name":"side","resources":{"limits":{"gpu":1}}},)"
                   R"({"name":"main"}]})");
  ASSERT_OK(UseGpuClaim(pod, "main", "t"));
  EXPECT_EQ(pod.Find("containers")->items()[0].Write(),
            R"({"name":"side","resources":{"limits":{"gpu":1}}})");
  EXPECT_FALSE(UseGpuClaim(pod, "other", "t").ok());
}

// D7
TEST(GpuClaimTest, TheTemplateAsksForSoManyOfAClass) {
  EXPECT_EQ(ClaimTemplateSpec("gpus", "", 2).Write(),
            R"({"spec":{"devices":{"requests":[{"name":"gpus","exactly":{"deviceClassName":)"
            R"("gpu.nvidia.com","allocationMode":"ExactCount","count":2}}]}}})");
  EXPECT_THAT(ClaimTemplateSpec("gpu", "mig.nvidia.com", 1).Write(), HasSubstr("mig.nvidia.com"));
}

// W10
TEST(GpuClaimTest, TheHashFollowsTheContent) {
  const std::string two = ClaimContentHash(ClaimTemplateSpec("gpus", "", 2));
  EXPECT_EQ(two.size(), 8U);
  EXPECT_EQ(two, ClaimContentHash(ClaimTemplateSpec("gpus", kDefaultDeviceClass, 2)));
  EXPECT_NE(two, ClaimContentHash(ClaimTemplateSpec("gpus", "", 1)));
}

}  // namespace
}  // namespace hearth::dynamo
