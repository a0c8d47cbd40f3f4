#include "agent/node/agent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "agent/node/testing/memory_cluster.h"
#include "base/testing/status_matchers.h"
#include "controller/testing/memory_api.h"
#include "http/client.h"

namespace hearth::agent::node {
namespace {

using testing::HasSubstr;

TEST(Agent, NeedsToKnowWhereItIs) {
  controller::MemoryApi api;
  net::EventLoop loop("test");
  const auto transport = kube::MakeHandlerTransport(loop, api.Handler());
  const auto manager = controller::Manager::CreateWith({}, *transport, Logger::Null());
  NodeState node;
  NodeStandIn work(node);
  EXPECT_CODE(Code::kInvalid, Agent::Create(*manager, work, {.name_space = "agents"}));
  EXPECT_CODE(Code::kInvalid, Agent::Create(*manager, work, {.node = "node-1"}));
}

// P8: ready only with filled caches, a runtime that answers and CRIU that was checked.
TEST(Agent, IsReadyWhenItsChecksAre) {
  controller::MemoryApi api;
  net::EventLoop loop("test");
  const auto transport = kube::MakeHandlerTransport(loop, api.Handler());
  controller::ManagerOptions options;
  options.health_address = "127.0.0.1:0";
  const auto manager = controller::Manager::CreateWith(options, *transport, Logger::Null());
  NodeState node;
  NodeStandIn work(node);
  std::atomic<bool> runtime_answers = false;
  auto agent = Agent::Create(
      *manager, work, AgentRig::TestOptions(),
      {{"runtime",
        [&] {
          return runtime_answers ? Status() : UnavailableError("containerd does not answer");
        }},
       {"criu", [] { return Status(); }}});
  ASSERT_OK(agent);
  std::stop_source stop;
  std::jthread running([&] { EXPECT_OK(manager->Run(stop.get_token())); });
  ASSERT_TRUE(Until([&] { return manager->health_endpoint().has_value(); }));
  http::Client client(loop, *manager->health_endpoint(), nullptr);
  const auto ask = [&](const std::string& target) {
    const auto answer = client.Send({.target = target}, WaitLimit::Forever());
    return answer.ok() ? *answer : http::Response();
  };
  ASSERT_TRUE(Until([&] { return ask("/readyz/caches").status == 200; }));
  EXPECT_NE(ask("/readyz").status, 200);
  EXPECT_THAT(ask("/readyz?verbose").body, HasSubstr("runtime"));
  EXPECT_EQ(ask("/healthz").status, 200) << "an agent that waits for its runtime is not dead";
  runtime_answers = true;
  EXPECT_EQ(ask("/readyz").status, 200);
  stop.request_stop();
  running.join();
  agent->reset();
}

// P8: how captures and restores ended and how long their phases took.
TEST(Agent, CountsWhatItDoes) {
  MemoryCluster env;
  env.cluster.CreateSource("source", "lark");
  env.cluster.Run("source", {{}});
  env.cluster.CreateContent("content", env.cluster.Pod("source"));
  const auto agent = env.NewAgent();
  agent->work().Fail("Restore", InternalError("no"), 1);
  agent->Start();
  ASSERT_TRUE(env.cluster.AwaitReady("content"));
  env.cluster.CreateRestore("pod", "lark");
  env.cluster.Run("pod", {{.id = "r1"}});
  ASSERT_TRUE(env.cluster.AwaitRestoreStatus("pod", "main", "failed"));
  ASSERT_TRUE(Until([&] { return agent->agent().running() == 0; }));
  const std::string metrics = agent->manager().metrics().Expose();
  EXPECT_THAT(metrics, HasSubstr("snapshot_agent_work_total{result=\"done\",work=\"capture\"} 1"));
  EXPECT_THAT(metrics,
              HasSubstr("snapshot_agent_work_total{result=\"failed\",work=\"restore\"} 1"));
  EXPECT_THAT(metrics, HasSubstr("snapshot_agent_phase_seconds_count{phase=\"dump\",work="
                                 "\"capture\"} 1"));
  EXPECT_THAT(metrics, HasSubstr("snapshot_agent_stored_bytes_total 400"));
  EXPECT_THAT(metrics, HasSubstr("snapshot_agent_under_way{work=\"capture\"} 0"));
}

// A graceful stop lets what runs end, for a while.
TEST(Agent, WhatRunsMayEndBeforeItStops) {
  MemoryCluster env;
  env.cluster.CreateSource("source", "lark");
  env.cluster.Run("source", {{}});
  env.cluster.CreateContent("content", env.cluster.Pod("source"));
  AgentOptions options = AgentRig::TestOptions();
  options.drain = std::chrono::seconds(20);
  const auto agent = env.NewAgent(options);
  agent->work().Block("Capture");
  agent->Start();
  agent->work().AwaitCalls("Capture", 1);
  std::jthread stopping([&] { EXPECT_OK(agent->Stop()); });
  agent->work().Unblock("Capture");
  stopping.join();
  EXPECT_TRUE(env.cluster.Content("content")->ready);
  EXPECT_FALSE(env.node.Killed("c1"));
}

}  // namespace
}  // namespace hearth::agent::node
