// A container is captured and killed, and comes back in another one.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "agent/capture/plan.h"
#include "agent/container/oci_runtime.h"
#include "agent/criu/worker.h"
#include "base/file_system.h"
#include "base/testing/status_matchers.h"
#include "container_rig.h"
#include "json/parse.h"
#include "node_test.h"
#include "workload_process.h"

namespace hearth::node {
namespace {

using testing::HasSubstr;

class RestoreTest : public NodeTest {
 protected:
  void SetUp() override {
    NodeTest::SetUp();
    if (IsSkipped()) {
      return;
    }
    rig_ = std::make_unique<ContainerRig>();
    runtime_ =
        agent::MakeOciRuntime({.root = rig_->runc_root()}, RealProcessRunner(), RealFileSystem());
    std::filesystem::create_directory(artifact());
  }
  std::string artifact() const { return rig_->directory() / "artifact"; }

  Status Capture(const std::string& id) {
    ASSIGN_OR_RETURN(const auto facts, agent::GatherFacts(*runtime_, {}, id, Enough()));
    agent::CaptureOrder order{.checkpoint_id = "test"};
    order.settings.manage_cgroups = "ignore";
    ASSIGN_OR_RETURN(auto plan, agent::PlanCapture(facts, order, {}, WallTime()));
    const UniqueFd images(::open(artifact().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    plan.request.images_fd = images.get();
    ASSIGN_OR_RETURN(auto worker, agent::criu::Worker::Start(program_));
    RETURN_IF_ERROR(worker.Dump(plan.request, nullptr, Enough()));
    std::ofstream(artifact() + "/manifest.yaml") << snapshot::WriteManifest(plan.manifest);
    return Status::Ok();
  }

  Result<ProcessOutcome> Restore(const std::string& id) {
    ASSIGN_OR_RETURN(const auto container, runtime_->Find(id, Enough()));
    ProcessSpec spec;
    spec.argv = {NSRESTORE_PROGRAM,
                 "--target-pid",
                 std::to_string(container.pid),
                 "--checkpoint-path",
                 artifact(),
                 "--bundle-dir",
                 bundle_};
    return RealProcessRunner().Run(spec, Enough());
  }

  std::unique_ptr<ContainerRig> rig_;
  std::unique_ptr<agent::ContainerRuntime> runtime_;
};

TEST_F(RestoreTest, AContainerComesBackInAnother) {
  ASSERT_OK_AND_ASSIGN(const auto source, rig_->StartWorkload("source", 32, 8));
  ASSERT_OK_AND_ASSIGN(const Spoken before, AskWorkload(source.socket));
  ASSERT_OK(Capture("source"));
  rig_->Kill(source);

  ASSERT_OK_AND_ASSIGN(const auto placeholder,
                       rig_->Start("placeholder", {"/bin/workload", "standby"}));
  ASSERT_OK_AND_ASSIGN(const ProcessOutcome done, Restore("placeholder"));
  ASSERT_TRUE(done.ok()) << done.errors;
  ASSERT_OK_AND_ASSIGN(const auto said, json::ParseValue(done.output));
  EXPECT_GT(said.Find("restoredPID")->Int().value_or(0), 1);

  ASSERT_OK_AND_ASSIGN(const Spoken after, AskWorkload(placeholder.socket));
  EXPECT_EQ(after.token, before.token);
  EXPECT_EQ(after.memory_hash, before.memory_hash);
  EXPECT_EQ(after.requests, before.requests + 1);
  EXPECT_GE(after.child_count, before.child_count);
  EXPECT_EQ(after.threads, 8U);

  // It is in the placeholder's groups and goes with it; nothing of ours is left in the container.
  ASSERT_OK_AND_ASSIGN(const auto facts,
                       agent::GatherFacts(*runtime_, {}, "placeholder", Enough()));
  ASSERT_EQ(facts.tree.size(), 3U) << "who waited, who was restored, and its child";
  const agent::ProcReader proc;
  EXPECT_EQ(*proc.CgroupText(facts.tree[1].pid), *proc.CgroupText(facts.tree[0].pid));
  EXPECT_EQ(*proc.NamespaceInode(facts.tree[1].pid, "net"), facts.network_namespace);
  EXPECT_FALSE(std::filesystem::exists(placeholder.upper + "/tmp/snapshot-binaries"));
  EXPECT_FALSE(std::filesystem::exists(placeholder.upper + "/tmp/checkpoint"));
}

TEST_F(RestoreTest, TwoCopiesRunBesideEachOther) {
  ASSERT_OK_AND_ASSIGN(const auto source, rig_->StartWorkload("original", 8, 1));
  ASSERT_OK_AND_ASSIGN(const Spoken before, AskWorkload(source.socket));
  ASSERT_OK(Capture("original"));
  for (const char* const name : {"copy-a", "copy-b"}) {
    ASSERT_OK_AND_ASSIGN(const auto copy, rig_->Start(name, {"/bin/workload", "standby"}));
    ASSERT_OK_AND_ASSIGN(const ProcessOutcome done, Restore(name));
    ASSERT_TRUE(done.ok()) << done.errors;
    ASSERT_OK_AND_ASSIGN(const Spoken after, AskWorkload(copy.socket));
    EXPECT_EQ(after.memory_hash, before.memory_hash);
    EXPECT_EQ(after.requests, before.requests + 1);
  }
}

TEST_F(RestoreTest, WhatIsMissingIsToldAndTheContainerIsLeftAsItWas) {
  ASSERT_OK_AND_ASSIGN(const auto source, rig_->StartWorkload("broken", 4, 1));
  ASSERT_OK(AskWorkload(source.socket).status());
  ASSERT_OK(Capture("broken"));
  std::filesystem::remove(artifact() + "/files.img");
  ASSERT_OK_AND_ASSIGN(const auto placeholder,
                       rig_->Start("waiting", {"/bin/workload", "standby"}));
  ASSERT_OK_AND_ASSIGN(const ProcessOutcome done, Restore("waiting"));
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.errors, HasSubstr("CRIU could not restore"));
  EXPECT_OK(runtime_->Find("waiting", Enough()).status());
  EXPECT_FALSE(std::filesystem::exists(placeholder.upper + "/tmp/checkpoint"));
  std::filesystem::remove(artifact() + "/manifest.yaml");
  ASSERT_OK_AND_ASSIGN(const ProcessOutcome again, Restore("waiting"));
  EXPECT_THAT(again.errors, HasSubstr("manifest.yaml"));
}

}  // namespace
}  // namespace hearth::node
