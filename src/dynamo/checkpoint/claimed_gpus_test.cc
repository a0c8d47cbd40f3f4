#include "dynamo/checkpoint/claimed_gpus.h"

#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "json/parse.h"

namespace hearth::dynamo {
namespace {

int64_t Gpus(std::string_view requests, std::string_view device_class = "gpu.nvidia.com") {
  const auto value =
      json::ParseValue(std::string(R"({"devices":{"requests":)") + std::string(requests) + "}}");
  EXPECT_OK(value);
  const json::Blob blob = value->ToBlob();
  return GpusOfClaim(blob.view(), device_class);
}

// K3, A109
TEST(ClaimedGpusTest, CountsDevicesOfTheClass) {
  EXPECT_EQ(Gpus(R"([{"exactly":{"deviceClassName":"gpu.nvidia.com","count":2}}])"), 2);
  EXPECT_EQ(Gpus(R"([{"exactly":{"deviceClassName":"gpu.nvidia.com"}}])"), 1);
  EXPECT_EQ(Gpus(R"([{"exactly":{"deviceClassName":"gpu.nvidia.com","count":0}}])"), 1);
  EXPECT_EQ(Gpus(R"([{"exactly":{"deviceClassName":"gpu.nvidia.com","allocationMode":"All"}}])"),
            2);
  EXPECT_EQ(Gpus(R"([{"exactly":{"deviceClassName":"mine","count":3}}])", "mine"), 3);
  EXPECT_EQ(Gpus(R"([{"exactly":{"deviceClassName":"nic","count":3}}])"), 0);
  EXPECT_EQ(Gpus(R"([{"firstAvailable":[{"deviceClassName":"gpu.nvidia.com","count":1},)"
                 R"({"deviceClassName":"gpu.nvidia.com","count":4}]}])"),
            4);
  EXPECT_EQ(Gpus("[]"), 0);
}

TEST(ClaimedGpusTest, FindsTheClaimsOfAContainer) {
  const auto pod = json::ParseValue(
      R"({"resourceClaims":[{"name":"a","resourceClaimTemplateName":"t"},)"
      R"({"name":"b","resourceClaimName":"c"}],"containers":[{"resources":{"claims":)"
      R"([{"name":"b"},{"name":"a"},{"name":"nothing"}]}}]})");
  ASSERT_OK(pod);
  const auto used = ClaimsOfContainer(*pod, pod->Find("containers")->items()[0]);
  ASSERT_EQ(used.size(), 2U);
  EXPECT_EQ(used[0].claim_name, "c");
  EXPECT_EQ(used[1].template_name, "t");
}

}  // namespace
}  // namespace hearth::dynamo
