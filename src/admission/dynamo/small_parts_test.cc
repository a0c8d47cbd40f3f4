// The small parts that rules are made of.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "admission/dynamo/internal/backend.h"
#include "admission/dynamo/internal/component_facts.h"
#include "admission/dynamo/internal/grove_names.h"
#include "admission/dynamo/internal/semver.h"
#include "admission/dynamo/testing/small_door.h"

namespace hearth::admission::dynamo {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Semver, IsReadAsGoProgramsDo) {
  for (const char* good :
       {"1.2.3", "v1.2.3", "1", "1.2", "1.0.0-rc.1", "1.0.0-rc-1+b.2", "0.0.0"}) {
    EXPECT_TRUE(IsSemver(good)) << good;
  }
  for (const char* bad : {"", "v", "unknown", "1.2.3.4", "1..2", "1.2.3-", "1.2.3+", "1.2.3-a..b",
                          " 1.2.3", "1.2.x", "-1", "1.2.3-ä"}) {
    EXPECT_FALSE(IsSemver(bad)) << bad;
  }
}

std::vector<std::string_view> Detect(const std::string& container) {
  const json::Value value = Yaml(container);
  return DetectBackends(&value);
}

TEST(Backends, AreFoundInCommandLines) {
  EXPECT_THAT(Detect("{command: [python3, -m, dynamo.vllm]}"), ElementsAre("vllm"));
  EXPECT_THAT(Detect("{command: [sh, -c], args: [\"cd /w && exec python3 -m dynamo.trtllm\"]}"),
              ElementsAre("trtllm"));
  EXPECT_THAT(Detect("{args: [\"python3.11 -u -m nsys.wrap -m dynamo.sglang --x\"]}"),
              ElementsAre("sglang"));
  EXPECT_THAT(Detect("{args: [\"python -m dynamo.vllm & python -m dynamo.sglang\"]}"),
              ElementsAre("vllm", "sglang"));
  // Not in one command.
  EXPECT_THAT(Detect("{args: [\"python -m other; echo dynamo.vllm\"]}"), IsEmpty());
  EXPECT_THAT(Detect("{args: [dynamo.vllm -m python]}"), IsEmpty());
  EXPECT_THAT(Detect("{command: python, args: [1, null]}"), IsEmpty());
  EXPECT_THAT(DetectBackends(nullptr), IsEmpty());
}

std::optional<int64_t> Gpus(const std::string& resources) {
  const json::Value container = Yaml("{resources: " + resources + "}");
  return GpuCount(&container);
}

TEST(Gpus, AreCountedByName) {
  EXPECT_EQ(Gpus("{limits: {nvidia.com/gpu: 4}}"), 4);
  EXPECT_EQ(Gpus("{limits: {nvidia.com/gpu: \"4\"}}"), 4);
  EXPECT_EQ(Gpus("{limits: {NVIDIA.COM/GPU: 1k}}"), 1000);
  EXPECT_EQ(Gpus("{requests: {amd.com/gpu: 2}}"), 2);
  EXPECT_EQ(Gpus("{limits: {nvidia.com/mig-3g.20gb: 3}}"), 3);
  // Limits before requests, and of several the first by name.
  EXPECT_EQ(Gpus("{limits: {nvidia.com/gpu: 1}, requests: {nvidia.com/gpu: 2}}"), 1);
  EXPECT_EQ(Gpus("{limits: {nvidia.com/gpu: 1, amd.com/gpu: 5}}"), 5);
  EXPECT_EQ(Gpus("{limits: {cpu: 1, nvidia.com/gpus: 2}}"), 0);
  EXPECT_EQ(Gpus("{limits: {nvidia.com/gpu: 1500m}}"), std::nullopt);
  EXPECT_EQ(Gpus("{limits: {nvidia.com/gpu: many}}"), std::nullopt);
  EXPECT_EQ(Gpus("{limits: {nvidia.com/gpu: [1]}}"), std::nullopt);
  EXPECT_EQ(GpuCount(nullptr), 0);
}

std::pair<std::string, size_t> Clique(const std::string& component) {
  const json::Value value = Yaml(component);
  const CliqueNames names{ComponentFacts(value)};
  return {names.longest, names.length()};
}

TEST(GroveNames, FollowFromTheRoles) {
  EXPECT_EQ(Clique("{name: Decode}"), std::pair(std::string("decode"), size_t{6}));
  EXPECT_EQ(Clique("{name: Decode, multinode: {nodeCount: 99}}"),
            std::pair(std::string("decode-ldr"), size_t{16}));
  const std::string inter_pod = "experimental: {gpuMemoryService: {mode: InterPod}}}";
  EXPECT_EQ(Clique("{name: w, " + inter_pod).first, "w-gms-0");
  EXPECT_EQ(Clique("{name: w, multinode: {nodeCount: 10}, " + inter_pod).first, "w-gms-0");
  EXPECT_EQ(Clique("{name: w, multinode: {nodeCount: 101}, " + inter_pod).first, "w-gms-100");
  EXPECT_EQ(Clique("{}"), std::pair(std::string(), size_t{0}));
}

TEST(GroveNames, LeaveTheSetAtLeastEightCharacters) {
  EXPECT_EQ(SetNameLength("llama", 10), 5U);
  EXPECT_EQ(SetNameLength(std::string(60, 'a'), 10), 35U);
  EXPECT_EQ(SetNameLength(std::string(60, 'a'), 40), 8U);
  EXPECT_EQ(SetNameLength(std::string(60, 'a'), 4000), 8U);
}

}  // namespace
}  // namespace hearth::admission::dynamo
