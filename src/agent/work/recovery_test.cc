// What becomes of containers whose agent was killed.
#include "agent/work/recovery.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "agent/host/journal.h"
#include "agent/work/testing/held_containers.h"
#include "base/testing/status_matchers.h"
#include "snapshot/artifact/testing/sample_artifact.h"

namespace hearth::agent {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Every process uses CUDA and is locked until it is unlocked.
class LockedDriver : public cuda::CudaCheckpoint {
 public:
  Result<cuda::State> StateOf(int, const WaitLimit&) override { return cuda::State::kLocked; }
  Result<int> RestoreThread(int pid, const WaitLimit&) override { return pid; }
  Status Lock(int, Duration, const WaitLimit&) override { return Status::Ok(); }
  Status Checkpoint(int, const WaitLimit&) override { return Status::Ok(); }
  Status Restore(int, const cuda::DeviceMap&, const WaitLimit&) override { return Status::Ok(); }
  Status Unlock(int pid, const WaitLimit&) override {
    unlocked.push_back(pid);
    return Status::Ok();
  }
  std::vector<int> unlocked;
};

class RecoveryTest : public testing::Test {
 protected:
  JournalEntry Entry(const std::string& container) {
    std::filesystem::create_directories(Path("cgroup"));
    std::ofstream(Path("cgroup/freezer.state")) << "FROZEN";
    return {.work = JournalEntry::Work::kCapture,
            .container_id = container,
            .checkpoint_id = "lark",
            .freezer = Path("cgroup"),
            .content_uid = "content-1"};
  }
  // Its writer is dead: a copy of the files is nobody's.
  void Leave(const JournalEntry& entry) {
    const auto journal = Journal::Begin(RealFileSystem(), Path("living"), entry);
    ASSERT_OK(journal.status());
    std::filesystem::copy(Path("living"), Path("journal"));
  }
  CutOffCaptures Recover() {
    return RecoverFromDeath({.journal_directory = Path("journal"),
                             .storage_directory = Path("storage"),
                             .host_proc = proc_},
                            {.runtime = containers_.runtime(),
                             .files = RealFileSystem(),
                             .clock = RealClock(),
                             .cuda = &cuda_},
                            Logger());
  }
  std::string Path(const std::string& name) const { return containers_.directory() / name; }
  std::string Text(const std::string& name) {
    return RealFileSystem().Read(Path(name), 1 << 20).value_or("");
  }

  HeldContainers containers_;
  LockedDriver driver_;
  cuda::Sequence cuda_{driver_, RealClock()};
  std::string proc_ = "/proc";
};

// It would run on with a half-dumped memory, and be captured and published as if nothing had been.
TEST_F(RecoveryTest, AContainerWhoseCaptureWasCutOffIsKilledAndRemembered) {
  containers_.Start("c1");
  containers_.Start("c2");
  Leave(Entry("c1"));
  const CutOffCaptures cut_off = Recover();
  EXPECT_THAT(cut_off.contents, ElementsAre("content-1"));
  EXPECT_THAT(cut_off.containers, ElementsAre("c1"));
  EXPECT_EQ(Text("cgroup/freezer.state"), "THAWED");
  EXPECT_TRUE(containers_.AwaitEnd("c1"));
  EXPECT_TRUE(containers_.Runs("c2"));
  EXPECT_TRUE(std::filesystem::is_empty(Path("journal")));
}

TEST_F(RecoveryTest, CudaIsLetGoBeforeTheContainerIs) {
  const int pid = containers_.Start("c1");
  proc_ = Path("proc");
  std::filesystem::create_directories(fmt::format("{}/{}", proc_, pid));
  std::ofstream(fmt::format("{}/{}/status", proc_, pid))
      << fmt::format("Name:\tengine\nState:\tS (sleeping)\nPid:\t{0}\nNSpid:\t{0}\t1\n", pid);
  std::ofstream(fmt::format("{}/{}/maps", proc_, pid)) << "7f00-7f01 r-xp /lib/libcuda.so.1\n";
  Leave(Entry("c1"));
  Recover();
  EXPECT_THAT(driver_.unlocked, ElementsAre(pid));
  EXPECT_TRUE(containers_.AwaitEnd("c1"));
}

// Killed after the last step: all of it is stored, and only to be told of.
TEST_F(RecoveryTest, WhatWasStoredIsNotCutOff) {
  containers_.Start("c1");
  Leave(Entry("c1"));
  snapshot::Manifest manifest = snapshot::SampleManifest("lark");
  manifest.content_uid = "content-1";
  manifest.source.container_id = "c1";
  const auto layout = snapshot::StorageLayout::Create(Path("storage"));
  ASSERT_OK(snapshot::PublishSample(RealFileSystem(), *layout, manifest, {{"pages-1.img", "x"}}));
  EXPECT_THAT(Recover().containers, IsEmpty());
  EXPECT_TRUE(containers_.Runs("c1"));
  EXPECT_TRUE(std::filesystem::is_empty(Path("journal")));
}

TEST_F(RecoveryTest, AnArtifactOfAnotherDoesNotCount) {
  containers_.Start("c1");
  Leave(Entry("c1"));
  snapshot::Manifest manifest = snapshot::SampleManifest("lark");
  manifest.content_uid = "content-2";
  manifest.source.container_id = "c1";
  const auto layout = snapshot::StorageLayout::Create(Path("storage"));
  ASSERT_OK(snapshot::PublishSample(RealFileSystem(), *layout, manifest, {{"pages-1.img", "x"}}));
  EXPECT_THAT(Recover().containers, ElementsAre("c1"));
  EXPECT_TRUE(containers_.AwaitEnd("c1"));
}

// Restores are begun again in the same container.
TEST_F(RecoveryTest, ARestoreIsLeftToTheLoops) {
  containers_.Start("c1");
  JournalEntry entry = Entry("c1");
  entry.work = JournalEntry::Work::kRestore;
  Leave(entry);
  EXPECT_THAT(Recover().containers, IsEmpty());
  EXPECT_TRUE(containers_.Runs("c1"));
}

// A runtime that starts after us: what could not be killed stays known, here and to the next agent.
TEST_F(RecoveryTest, WhatCannotBeKilledYetIsNotForgotten) {
  containers_.Start("c1");
  containers_.server().Confuse("other");
  Leave(Entry("c1"));
  EXPECT_THAT(Recover().containers, ElementsAre("c1"));
  EXPECT_FALSE(std::filesystem::is_empty(Path("journal")));
  EXPECT_THAT(Recover().contents, ElementsAre("content-1"));
}

}  // namespace
}  // namespace hearth::agent
