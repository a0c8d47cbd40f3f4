#include "pods/gpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "json/parse.h"

namespace hearth::pods {
namespace {

using json::Value;
using testing::HasSubstr;

Value Json(std::string_view text) {
  auto value = json::ParseValue(text);
  EXPECT_OK(value);
  return value.ok() ? *std::move(value) : Value();
}

TEST(GpusTest, KnowsNamesOfGpus) {
  for (const char* const name : {"nvidia.com/gpu", "NVIDIA.com/GPU", "gpu", "amd.com/gpu",
                                 "nvidia.com/mig-1g.5gb", "gpu.intel.com/i915"}) {
    EXPECT_TRUE(IsGpu(name)) << name;
  }
  for (const char* const name : {"cpu", "memory", "nvidia.com/gpus", "example.com/fpga"}) {
    EXPECT_FALSE(IsGpu(name)) << name;
  }
}

// D6
TEST(GpusTest, LimitsComeBeforeRequestsAndNamesInOrder) {
  EXPECT_EQ(*GpuCount(Json(R"({"resources":{"limits":{"nvidia.com/gpu":"4"},)"
                           R"("requests":{"amd.com/gpu":2}}})")),
            4);
  EXPECT_EQ(*GpuCount(Json(R"({"resources":{"limits":{"nvidia.com/gpu":"4","amd.com/gpu":2}}})")),
            2);
  EXPECT_EQ(*GpuCount(Json(R"({"resources":{"requests":{"nvidia.com/gpu":3}}})")), 3);
  EXPECT_EQ(*GpuCount(Json(R"({})")), 0);
}

// D6
TEST(GpusTest, PartsOfAGpuAreRefused) {
  const auto count = GpuCount(Json(R"({"resources":{"limits":{"nvidia.com/gpu":"500m"}}})"));
  ASSERT_FALSE(count.ok());
  EXPECT_THAT(
      std::string(count.status().message()),
      HasSubstr("GPU resource \"nvidia.com/gpu\" quantity \"500m\" must be a whole number"));
}

// D2, D3
TEST(GpusTest, AllNamesOfGpusGoAndOthersStay) {
  Value container =
      Json(R"({"resources":{"limits":{"nvidia.com/gpu":1,"nvidia.com/mig-1g.5gb":2,"cpu":"1"},)"
           R"("requests":{"nvidia.com/gpu":1}}})");
  RemoveGpus(container);
  EXPECT_EQ(container.Write(), R"({"resources":{"limits":{"cpu":"1"}}})");
  container = Json(R"({"name":"a","resources":{"limits":{"nvidia.com/gpu":1}}})");
  RemoveGpus(container);
  EXPECT_EQ(container.Write(), R"({"name":"a"})");
}

}  // namespace
}  // namespace hearth::pods
