#include "dynamo/render/failover.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "json/parse.h"
#include "pods/environment.h"
#include "pods/lists.h"

namespace hearth::dynamo {
namespace {

using json::Value;
using testing::ElementsAre;
using testing::HasSubstr;

Value Json(std::string_view text) {
  auto value = json::ParseValue(text);
  EXPECT_OK(value);
  return value.ok() ? *std::move(value) : Value();
}

Value Pod() {
  return Json(
      R"({"containers":[{"name":"first"},{"name":"main","command":["python3"],"args":)"
      R"(["-m","dynamo.vllm"],"ports":[{"name":"system","containerPort":9090},)"
      R"({"name":"nixl","containerPort":19090}],"env":[{"name":"DYN_NAMESPACE","value":"n"},)"
      R"({"name":"DYN_SYSTEM_PORT","value":"9090"},{"name":"DYN_HEALTH_CHECK_ENABLED",)"
      R"("value":"false"},{"name":"NIXL_TELEMETRY_PROMETHEUS_PORT","value":"19090"}],)"
      R"("livenessProbe":{"httpGet":{"path":"/live","port":"system"}},)"
      R"("resources":{"claims":[{"name":"intrapod-shared-gpu"}]}},{"name":"last"}]})");
}

const Value& Engine(const Value& pod, std::string_view name) {
  const Value* const engine = pods::FindNamed(pod, "containers", name);
  EXPECT_NE(engine, nullptr) << name;
  return *engine;
}

std::string Variable(const Value& container, std::string_view name) {
  const Value* const variable = pods::FindVariable(container, name);
  return variable == nullptr ? "none" : std::string(pods::Text(*variable, "value"));
}

// F1
TEST(FailoverTest, EnginesComeFirstAndSidecarsStayInOrder) {
  Value pod = Pod();
  ASSERT_OK(CloneEngines(pod, "vllm", 1));
  std::vector<std::string> names;
  for (const Value& container : pod.Find("containers")->items()) {
    names.emplace_back(pods::Text(container, "name"));
  }
  EXPECT_THAT(names, ElementsAre("engine-0", "engine-1", "first", "last"));
}

// F2
TEST(FailoverTest, OnlyVllmAndOnlyWithMain) {
  Value pod = Pod();
  EXPECT_THAT(std::string(CloneEngines(pod, "sglang", 1).message()),
              HasSubstr("failover is currently supported only for vLLM (detected: sglang)"));
  pod = Json(R"({"containers":[]})");
  EXPECT_FALSE(CloneEngines(pod, "vllm", 1).ok());
}

// F3, W22
TEST(FailoverTest, WhatTwoEnginesCannotShareIsToldApart) {
  Value pod = Pod();
  ASSERT_OK(CloneEngines(pod, "vllm", 1));
  const Value& second = Engine(pod, "engine-1");
  EXPECT_EQ(second.Find("ports")->Write(),
            R"([{"containerPort":9091,"name":"system-1","protocol":"TCP"},)"
            R"({"containerPort":19091,"name":"nixl-1","protocol":"TCP"}])");
  EXPECT_EQ(second.FindPath("livenessProbe.httpGet.port")->string(), "system-1");
  EXPECT_EQ(Variable(second, "ENGINE_ID"), "1");
  EXPECT_EQ(Variable(second, "CONTAINER_NAME"), "engine-1");
  EXPECT_EQ(Variable(second, "FAILOVER_LOCK_PATH"), "/gms-intrapod-control/failover.lock");
  EXPECT_EQ(Variable(second, "DYN_SYSTEM_STARTING_HEALTH_STATUS"), "notready");
  EXPECT_EQ(Variable(second, "DYN_SYSTEM_PORT"), "9091");
  EXPECT_EQ(Variable(second, "DYN_FORWARDPASS_METRIC_PORT"), "20381");
  EXPECT_EQ(Variable(second, "VLLM_NIXL_SIDE_CHANNEL_PORT"), "5601");
  EXPECT_EQ(Variable(second, "DYN_VLLM_KV_EVENT_PORT"), "20081");
  EXPECT_EQ(Variable(second, "NIXL_TELEMETRY_PROMETHEUS_PORT"), "19091");
  EXPECT_EQ(Variable(second, "DYN_HEALTH_CHECK_ENABLED"), "none");
  EXPECT_EQ(Variable(second, "DYN_NAMESPACE"), "n");
  EXPECT_EQ(second.FindPath("resources.claims")->items().size(), 1U);
  EXPECT_EQ(Variable(Engine(pod, "engine-0"), "DYN_SYSTEM_PORT"), "9090");
}

TEST(FailoverTest, TheSecondEngineHasAnotherMasterPort) {
  Value pod = Pod();
  ASSERT_OK(CloneEngines(pod, "vllm", 1));
  EXPECT_EQ(Engine(pod, "engine-0").Find("args")->Write(), R"(["-m","dynamo.vllm"])");
  EXPECT_EQ(Engine(pod, "engine-1").Find("args")->Write(),
            R"(["-m","dynamo.vllm","--master-port","29600"])");
  pod =
      Json(R"({"containers":[{"name":"main","args":["python3 -m dynamo.vllm --master-port 7"]}]})");
  ASSERT_OK(CloneEngines(pod, "vllm", 1));
  EXPECT_EQ(Engine(pod, "engine-1").Find("args")->Write(),
            R"(["python3 -m dynamo.vllm --master-port 107"])");
}

TEST(FailoverTest, AMasterPortThatIsNoNumberIsRefused) {
  Value pod = Json(
      R"({"containers":[{"name":"main","args":["python3 -m dynamo.vllm --master-port $P"]}]})");
  EXPECT_THAT(std::string(CloneEngines(pod, "vllm", 1).message()), HasSubstr("\"$P\""));
}

// F4
TEST(FailoverTest, SeveralNodesAreTold) {
  Value pod = Pod();
  ASSERT_OK(CloneEngines(pod, "vllm", 4));
  EXPECT_EQ(Variable(Engine(pod, "engine-0"), "NNODES"), "4");
  pod = Pod();
  ASSERT_OK(CloneEngines(pod, "vllm", 1));
  EXPECT_EQ(Variable(Engine(pod, "engine-0"), "NNODES"), "none");
}

}  // namespace
}  // namespace hearth::dynamo
