#include "agent/node/agent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "agent/node/testing/memory_cluster.h"
#include "base/testing/status_matchers.h"
#include "controller/testing/memory_api.h"
#include "http/client.h"
#include "snapshot/protocol/names.h"
#include "snapshot/protocol/node_names.h"

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

class Stopping : public testing::Test {
 protected:
  std::unique_ptr<AgentRig> NewAgent(Duration drain) {
    AgentOptions options = AgentRig::TestOptions();
    options.drain = drain;
    return env_.NewAgent(options);
  }
  void Order(bool ready = true, const Cluster::Change& change = {}) {
    cluster().CreateSource("source", "lark", change);
    cluster().Run("source", {{.ready = ready}});
    cluster().CreateContent("content", cluster().Pod("source"));
  }
  std::string Renewed() {
    const auto lease = cluster().Lease("agents", snapshot::AgentLeaseName("node-1"));
    return lease ? lease->view()["spec"]["renewTime"].StringOr("") : "";
  }
  Cluster& cluster() { return env_.cluster; }
  MemoryCluster env_;
};

// What nobody gains by waiting for does not hold up an update of the agents.
TEST_F(Stopping, WhatOnlyWaitsIsLeftToTheNextAgent) {
  cluster().CreateSource("unready", "wren");
  cluster().Run("unready", {{.id = "c2", .ready = false}});
  cluster().CreateContent("waiting", cluster().Pod("unready"));
  Order(true, [](json::Value& pod) {
    pod["metadata"]["annotations"].Set(snapshot::kGmsCompletionModeAnnotation, "shared");
  });
  {
    const auto agent = NewAgent(std::chrono::hours(24));
    agent->Start();
    agent->work().AwaitCalls("WaitForSentinel", 2);
    EXPECT_OK(agent->Stop());
  }
  EXPECT_FALSE(cluster().Content("content")->terminal());
  EXPECT_FALSE(env_.node.Killed("c1"));
  const auto next = NewAgent(Duration(0));
  next->Start();
  next->work().AwaitCalls("WaitForSentinel", 2);
  env_.node.MakeFile("c2", snapshot::kReadyFile);
  EXPECT_TRUE(cluster().AwaitReady("waiting"));
}

TEST_F(Stopping, ACaptureThatHasNotTouchedItsContainerIsLeftToTheNextAgent) {
  Order();
  {
    const auto agent = NewAgent(Duration(0));
    agent->work().Fail("Capture",
                       Status(Code::kCancelled, std::string(kUntouched), "told to stop"));
    agent->Start();
    agent->work().AwaitCalls("Capture", 1);
    EXPECT_OK(agent->Stop());
  }
  EXPECT_FALSE(cluster().Content("content")->terminal());
  EXPECT_FALSE(env_.node.Killed("c1"));
  const auto next = NewAgent(Duration(0));
  next->Start();
  EXPECT_TRUE(cluster().AwaitReady("content"));
}

// Its container is in no known state.
TEST_F(Stopping, ACaptureThatTakesTooLongIsGivenUpAndSaidToBe) {
  Order();
  const auto agent = NewAgent(Duration(0));
  agent->work().Block("Capture");
  agent->Start();
  agent->work().AwaitCalls("Capture", 1);
  EXPECT_OK(agent->Stop());
  EXPECT_EQ(cluster().FailedReason("content"), "CaptureInterrupted");
  EXPECT_TRUE(env_.node.Killed("c1"));
}

TEST_F(Stopping, ARestoreIsBegunAgainByTheNextAgent) {
  env_.node.Store("lark", "1", {true, "content-uid", "ns", "digest-1", 100});
  cluster().CreateRestore("pod", "lark");
  cluster().Run("pod", {{}});
  {
    const auto agent = NewAgent(Duration(0));
    agent->work().Block("Restore");
    agent->Start();
    agent->work().AwaitCalls("Restore", 1);
    EXPECT_OK(agent->Stop());
  }
  EXPECT_FALSE(env_.node.Killed("c1"));
  EXPECT_EQ(cluster().RestoreStatus("pod", "main"), "in_progress");
  const auto next = NewAgent(Duration(0));
  next->Start();
  EXPECT_TRUE(cluster().AwaitRestoreStatus("pod", "main", "completed"));
}

// The operator gives up the orders of agents that seem dead.
TEST_F(Stopping, AnAgentThatStillWorksShowsThatItIsAlive) {
  Order();
  const auto agent = NewAgent(std::chrono::hours(24));
  agent->work().Block("Capture");
  agent->Start();
  agent->work().AwaitCalls("Capture", 1);
  std::jthread stopping([&] { EXPECT_OK(agent->Stop()); });
  ASSERT_TRUE(Until([&] { return agent->Log().find("stopping") != std::string::npos; }));
  const std::string before = Renewed();
  EXPECT_TRUE(Until([&] { return Renewed() != before; }));
  agent->work().Unblock("Capture");
  stopping.join();
  EXPECT_TRUE(cluster().Content("content")->ready);
}

}  // namespace
}  // namespace hearth::agent::node
