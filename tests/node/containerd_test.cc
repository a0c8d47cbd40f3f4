// A real containerd, asked as production asks it, and its containers captured and restored.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "agent/container/await_container.h"
#include "agent/container/pinned_process.h"
#include "containerd_rig.h"
#include "snapshot_rig.h"

namespace hearth::node {
namespace {

using agent::ContainerEvent;
using agent::ContainerState;
using Kind = agent::ContainerEvent::Kind;
using testing::Contains;
using testing::StartsWith;

class ContainerdTest : public SnapshotTest {
 protected:
  Result<std::unique_ptr<ContainerRig>> MakeRig() override {
    ASSIGN_OR_RETURN(auto rig, ContainerdRig::Make());
    containerd_ = rig.get();
    return std::unique_ptr<ContainerRig>(std::move(rig));
  }
  ContainerdRig* containerd_ = nullptr;
};

TEST_F(ContainerdTest, AContainerIsFoundById) {
  ASSERT_OK_AND_ASSIGN(const auto started, rig_->StartWorkload("found", 1, 1));
  ASSERT_OK(AskWorkload(started.socket).status());
  EXPECT_THAT(*runtime_->Version(Enough()), StartsWith("containerd 1."));
  ASSERT_OK_AND_ASSIGN(const agent::Container container, runtime_->Find(started.id, Enough()));
  EXPECT_EQ(container.id, started.id);
  EXPECT_EQ(container.in_pod, ContainerdRig::InPod("found"));
  EXPECT_EQ(container.image, "hearth.test/workload:1");
  EXPECT_THAT(container.image_digest, StartsWith("sha256:"));
  EXPECT_EQ(container.log_path, containerd_->LogOf("found"));
  EXPECT_EQ(container.snapshotter, "overlayfs");
  EXPECT_EQ(container.snapshot_key, started.id);
  EXPECT_THAT(container.bind_destinations, Contains("/snapshot-control"));
  EXPECT_THAT(container.managed.masked, Contains("/proc/keys"));
  // The process is the workload, the first of its pid namespace.
  ASSERT_OK_AND_ASSIGN(const auto process, agent::ProcReader().Process(container.pid));
  EXPECT_EQ(process.name, "workload");
  EXPECT_EQ(process.ns_pids.back(), 1);
}

TEST_F(ContainerdTest, AContainerIsFoundInItsPod) {
  ASSERT_OK_AND_ASSIGN(const auto one, rig_->StartWorkload("one", 1, 0));
  ASSERT_OK_AND_ASSIGN(const auto two, rig_->StartWorkload("two", 1, 0));
  const auto find = [&](const agent::PodContainer& which) {
    return runtime_->FindInPod(which, Enough());
  };
  EXPECT_EQ(find(ContainerdRig::InPod("one"))->id, one.id);
  EXPECT_EQ(find({.pod_uid = "uid-two", .name = "main"})->id, two.id);
  EXPECT_EQ(find({.pod_name = "pod-two", .pod_namespace = "team", .name = "main"})->id, two.id);
  EXPECT_CODE(Code::kNotFound, find({.pod_uid = "uid-two", .name = "sidecar"}));
  EXPECT_CODE(Code::kNotFound, runtime_->Find("absent", Enough()));
}

TEST_F(ContainerdTest, FactsAreThoseOfTheContainer) {
  ASSERT_OK_AND_ASSIGN(const auto started, rig_->StartWorkload("facts", 4, 2));
  ASSERT_OK(AskWorkload(started.socket).status());
  ASSERT_OK_AND_ASSIGN(const auto facts, agent::GatherFacts(*runtime_, {}, started.id, Enough()));
  EXPECT_EQ(facts.tree.size(), 2U) << "the workload and its child";
  EXPECT_EQ(facts.upper_directory, started.upper);
  EXPECT_THAT(facts.mount_plan.external, Contains(testing::Key("/snapshot-control")));
}

// CRIU would hold still all that the node sends and receives. Seen also where the machine does not
// tell the network of its first process.
TEST_F(ContainerdTest, APodInTheNodesNetworkIsNotCaptured) {
  containerd_->UseNodeNetwork();
  ASSERT_OK_AND_ASSIGN(const auto started, rig_->StartWorkload("host-network", 1, 0));
  ASSERT_OK(AskWorkload(started.socket).status());
  const auto refused = Capture(started.id, "host-network");
  EXPECT_CODE(Code::kUnsupported, refused);
  EXPECT_EQ(refused.status().reason(), "HostNetwork");
  EXPECT_OK(AskWorkload(started.socket).status());
}

TEST_F(ContainerdTest, WhatHappensIsTold) {
  ASSERT_OK_AND_ASSIGN(const auto events, runtime_->Watch(Enough()));
  // Nobody tells when a stream has begun: containers are started until one is told of.
  std::string told;
  std::vector<ContainerRig::Started> started;
  for (int i = 0; told.empty() && i < 20; ++i) {
    ASSERT_OK_AND_ASSIGN(const auto next, rig_->StartWorkload("events-" + std::to_string(i), 1, 0));
    started.push_back(next);
    const auto soon = WaitLimit::For(RealClock(), std::chrono::seconds(3));
    auto event = events->Next(soon);
    while (event.ok() && (event->kind != Kind::kStarted || event->container_id != next.id)) {
      event = events->Next(soon);
    }
    told = event.ok() ? event->container_id : "";
  }
  ASSERT_EQ(told, started.back().id);
  ASSERT_OK_AND_ASSIGN(const auto process, agent::PinnedProcess::Of(*runtime_, told, Enough()));
  ASSERT_OK(process.Kill());
  ASSERT_OK(process.AwaitEnd(Enough()));
  ContainerEvent event;
  while (event.kind != Kind::kStopped || event.container_id != told) {
    ASSERT_OK_AND_ASSIGN(event, events->Next(Enough()));
  }
  // The event comes from the task; the state that CRI tells follows it.
  ASSERT_OK_AND_ASSIGN(ContainerState state, runtime_->StateOf(told, Enough()));
  while (state.phase == ContainerState::Phase::kRunning) {
    ASSERT_OK_AND_ASSIGN(state, runtime_->StateOf(told, Enough()));
  }
  EXPECT_EQ(state.phase, ContainerState::Phase::kExited);
  EXPECT_EQ(state.exit_code, 137);
  EXPECT_CODE(Code::kUnavailable, runtime_->Find(told, Enough()));
}

TEST_F(ContainerdTest, AContainerIsStopped) {
  ASSERT_OK_AND_ASSIGN(const auto started, rig_->StartWorkload("stopped", 1, 0));
  ASSERT_OK_AND_ASSIGN(const auto process,
                       agent::PinnedProcess::Of(*runtime_, started.id, Enough()));
  ASSERT_OK(runtime_->Stop(started.id, Duration(0), Enough()));
  EXPECT_FALSE(process.Running());
  EXPECT_OK(runtime_->Stop(started.id, Duration(0), Enough()));
}

TEST_F(ContainerdTest, AContainerIsAwaited) {
  ContainerRig::Started started;
  std::jthread starting([&] {
    auto made = rig_->StartWorkload("awaited", 1, 0);
    EXPECT_OK(made.status());
    started = made.ok() ? *made : ContainerRig::Started();
  });
  const auto found =
      agent::AwaitContainer(*runtime_, ContainerdRig::InPod("awaited"), Enough(), RealClock());
  starting.join();
  ASSERT_OK(found.status());
  EXPECT_EQ(found->id, started.id);
}

TEST_F(ContainerdTest, AContainerComesBackInAnother) {
  ASSERT_OK_AND_ASSIGN(const auto source, rig_->StartWorkload("source", 32, 8));
  ASSERT_OK_AND_ASSIGN(const Spoken before, AskWorkload(source.socket));
  ASSERT_OK_AND_ASSIGN(const agent::Captured captured, Capture(source.id, "snap"));
  EXPECT_GT(captured.bytes, 32U << 20U);
  rig_->Kill(source);

  ASSERT_OK_AND_ASSIGN(const auto placeholder, StartPlaceholder("placeholder"));
  ASSERT_OK_AND_ASSIGN(const agent::RestoredContainer restored, Restore(placeholder.id, "snap"));
  ASSERT_OK_AND_ASSIGN(const Spoken after, AskWorkload(placeholder.socket));
  EXPECT_EQ(after.token, before.token);
  EXPECT_EQ(after.memory_hash, before.memory_hash);
  EXPECT_EQ(after.requests, before.requests + 1);
  EXPECT_EQ(after.threads, 8U);
  ASSERT_OK_AND_ASSIGN(const auto facts,
                       agent::GatherFacts(*runtime_, {}, placeholder.id, Enough()));
  const agent::ProcReader proc;
  EXPECT_EQ(*proc.CgroupText(restored.pid), *proc.CgroupText(facts.tree[0].pid));
  EXPECT_EQ(*proc.NamespaceInode(restored.pid, "net"), facts.network_namespace);
}

}  // namespace
}  // namespace hearth::node
