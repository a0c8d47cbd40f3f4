// Containers of runc, captured by CRIU as the plan says.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "agent/capture/plan.h"
#include "agent/criu/failure.h"
#include "agent/criu/worker.h"
#include "base/file_system.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "node_test.h"
#include "runc_rig.h"
#include "workload_process.h"

namespace hearth::node {
namespace {

using agent::CaptureFacts;
using agent::CapturePlan;
using agent::MountFate;
using testing::Contains;
using testing::Field;
using testing::SizeIs;

class CaptureTest : public NodeTest {
 protected:
  void SetUp() override {
    NodeTest::SetUp();
    if (IsSkipped()) {
      return;
    }
    rig_ = std::make_unique<RuncRig>();
    runtime_ = &rig_->runtime();
  }
  Result<CaptureFacts> Facts(const std::string& id) {
    return agent::GatherFacts(*runtime_, {}, id, Enough());
  }

  std::unique_ptr<ContainerRig> rig_;
  agent::ContainerRuntime* runtime_ = nullptr;  // the rig's
};

// The node's network is that of its first process, which is played by others here.
TEST_F(CaptureTest, AContainerInTheNodesNetworkIsSeenToBe) {
  ASSERT_OK(rig_->StartWorkload("workload", 1, 0).status());
  ASSERT_OK_AND_ASSIGN(const agent::Container found, runtime_->Find("workload", Enough()));
  for (const int first : {::getpid(), found.pid}) {
    const TempDirectory proc;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const std::string name = entry.path().filename();
      if (name != "1") {
        std::filesystem::create_symlink(entry.path(), proc / name);
      }
    }
    std::filesystem::create_symlink("/proc/" + std::to_string(first), proc / "1");
    const auto facts = agent::GatherFacts(*runtime_, {.proc = proc.path()}, "workload", Enough());
    ASSERT_OK(facts.status());
    EXPECT_EQ(facts->host_network, first == found.pid);
  }
}

TEST_F(CaptureTest, FactsAreThoseOfTheContainer) {
  ASSERT_OK_AND_ASSIGN(const auto container, rig_->StartWorkload("facts", 4, 2));
  ASSERT_OK(AskWorkload(container.socket).status());
  ASSERT_OK_AND_ASSIGN(const CaptureFacts facts, Facts("facts"));
  EXPECT_THAT(facts.tree, SizeIs(2)) << "the workload and its child";
  EXPECT_EQ(facts.tree[0].ns_pids.size(), 2U);
  EXPECT_EQ(facts.tree[0].ns_pids[1], 1);
  EXPECT_EQ(facts.upper_directory, container.upper);
  EXPECT_FALSE(facts.freezer.empty());
  EXPECT_THAT(facts.mount_plan.external, Contains(testing::Key("/snapshot-control")));
  EXPECT_THAT(facts.mount_plan.external, Contains(testing::Pair("/proc/keys", "/dev/null")));
  EXPECT_THAT(facts.mount_plan.decisions,
              Contains(testing::AllOf(Field(&agent::MountDecision::mount_point, "/dev/shm"),
                                      Field(&agent::MountDecision::fate, MountFate::kSaved))));
}

TEST_F(CaptureTest, AContainerCannotNameAnotherDirectoryAsItsLayer) {
  const std::string victim = rig_->directory() / "victim";
  std::filesystem::create_directory(victim);
  std::ofstream(victim + "/secret") << "another tenant's\n";
  ASSERT_OK_AND_ASSIGN(
      const auto container,
      rig_->Start("impostor", {"/bin/workload", "impostor", "/snapshot-control/api.sock", victim}));
  ASSERT_OK(AskWorkload(container.socket).status());
  const auto facts = Facts("impostor");
  EXPECT_CODE(Code::kUnsupported, facts);
  EXPECT_EQ(facts.status().reason(), "ForeignRoot");
}

TEST_F(CaptureTest, TheLayerIsHeldAsItsRuntimeMountedIt) {
  ASSERT_OK_AND_ASSIGN(const auto container, rig_->StartWorkload("layer", 1, 0));
  ASSERT_OK_AND_ASSIGN(const CaptureFacts facts, Facts("layer"));
  std::ofstream(container.upper + "/changed") << "by it\n";
  EXPECT_EQ(::faccessat(facts.upper.get(), "changed", R_OK, 0), 0);
}

TEST_F(CaptureTest, AContainerIsCapturedAndRunsOn) {
  ASSERT_OK_AND_ASSIGN(const auto container, rig_->StartWorkload("source", 32, 8));
  ASSERT_OK_AND_ASSIGN(const Spoken before, AskWorkload(container.socket));
  ASSERT_OK_AND_ASSIGN(const CaptureFacts facts, Facts("source"));
  ASSERT_OK_AND_ASSIGN(CapturePlan plan,
                       agent::PlanCapture(facts, {.checkpoint_id = "test"}, {}, WallTime()));
  const std::string images = rig_->directory() / "images";
  std::filesystem::create_directory(images);
  const UniqueFd directory(::open(images.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  plan.request.images_fd = directory.get();
  ASSERT_OK_AND_ASSIGN(auto worker, agent::criu::Worker::Start(program_));
  const Status captured = worker.Dump(plan.request, nullptr, Enough());
  ASSERT_TRUE(captured.ok())
      << captured.ToString() << "\n"
      << agent::criu::Describe(agent::criu::ExplainLog(
             RealFileSystem().Read(images + "/dump.log", 64 << 20).value_or("")))
      << agent::DescribePlan(plan);
  EXPECT_TRUE(std::filesystem::exists(images + "/inventory.img"));
  uintmax_t pages = 0;
  for (const auto& file : std::filesystem::directory_iterator(images)) {
    pages += file.path().filename().string().starts_with("pages-") ? file.file_size() : 0;
  }
  EXPECT_GT(pages, 32U << 20U);
  ASSERT_OK_AND_ASSIGN(const Spoken after, AskWorkload(container.socket));
  EXPECT_EQ(after.token, before.token);
  EXPECT_EQ(after.requests, before.requests + 1) << "it was the same process all the time";
}

TEST_F(CaptureTest, AContainerThatIsGoneIsTold) {
  EXPECT_CODE(Code::kNotFound, Facts("absent"));
  ASSERT_OK_AND_ASSIGN(const auto container, rig_->StartWorkload("gone", 1, 0));
  rig_->Kill(container);
  EXPECT_CODE(Code::kNotFound, Facts("gone"));
}

}  // namespace
}  // namespace hearth::node
