// A container is captured and killed, and comes back in another one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include "agent/host/journal.h"
#include "agent/host/machine.h"
#include "snapshot/artifact/artifact.h"
#include "snapshot/artifact/verify.h"
#include "snapshot_rig.h"

namespace hearth::node {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class RestoreTest : public SnapshotTest {
 protected:
  std::string LargestFile(const std::string& id) const {
    const auto artifact = snapshot::Artifact::Open(ArtifactOf(id));
    const snapshot::StoredFile* largest = nullptr;
    for (const auto& file : artifact->contents().files) {
      largest = largest == nullptr || file.bytes > largest->bytes ? &file : largest;
    }
    return largest == nullptr ? "" : largest->name;
  }
};

// W23: in the cgroups of its container.
TEST_F(RestoreTest, AContainerComesBackInAnother) {
  ASSERT_OK_AND_ASSIGN(const auto source, rig_->StartWorkload("source", 32, 8));
  ASSERT_OK_AND_ASSIGN(const Spoken before, AskWorkload(source.socket));
  ASSERT_OK_AND_ASSIGN(const agent::Captured captured, Capture("source", "snap"));
  EXPECT_GT(captured.bytes, 32U << 20U);
  rig_->Kill(source);

  ASSERT_OK_AND_ASSIGN(const auto placeholder, StartPlaceholder("placeholder"));
  ASSERT_OK_AND_ASSIGN(const agent::RestoredContainer restored, Restore("placeholder", "snap"));
  EXPECT_EQ(restored.root_digest, captured.root_digest);
  EXPECT_EQ(restored.left_to_criu, "");

  ASSERT_OK_AND_ASSIGN(const Spoken after, AskWorkload(placeholder.socket));
  EXPECT_EQ(after.token, before.token);
  EXPECT_EQ(after.memory_hash, before.memory_hash);
  EXPECT_EQ(after.requests, before.requests + 1);
  EXPECT_GE(after.child_count, before.child_count);
  EXPECT_EQ(after.threads, 8U);

  // It is in the placeholder's groups and goes with it; nothing of ours is left in the container.
  ASSERT_OK_AND_ASSIGN(const auto facts,
                       agent::GatherFacts(*runtime_, {}, "placeholder", Enough()));
  ASSERT_EQ(facts.tree.size(), 2U) << "who was restored, and its child";
  EXPECT_EQ(facts.tree[0].pid, restored.pid);
  const agent::ProcReader proc;
  const int waited = runtime_->Find("placeholder", Enough())->pid;
  EXPECT_EQ(*proc.CgroupText(restored.pid), *proc.CgroupText(waited));
  EXPECT_EQ(*proc.NamespaceInode(restored.pid, "net"), facts.network_namespace);
  EXPECT_FALSE(std::filesystem::exists(placeholder.upper + "/tmp/snapshot-binaries"));
  EXPECT_FALSE(std::filesystem::exists(placeholder.upper + "/tmp/checkpoint"));
  EXPECT_THAT(agent::RecoverUnfinished(RealFileSystem(), journal())->entries, IsEmpty());
}

// Otherwise each would have a copy of its own.
TEST_F(RestoreTest, MemoryThatForkedProcessesShareIsLeftToCriu) {
  ASSERT_OK_AND_ASSIGN(const auto source, rig_->StartWorkload("source", 96, 2));
  ASSERT_OK_AND_ASSIGN(const Spoken before, AskWorkload(source.socket));
  ASSERT_OK(Capture("source", "snap").status());
  rig_->Kill(source);
  ASSERT_OK_AND_ASSIGN(const auto placeholder, StartPlaceholder("placeholder"));
  ASSERT_OK_AND_ASSIGN(const agent::RestoredContainer restored, Restore("placeholder", "snap"));
  EXPECT_THAT(restored.left_to_criu, HasSubstr("in common"));
  ASSERT_OK_AND_ASSIGN(const Spoken after, AskWorkload(placeholder.socket));
  EXPECT_EQ(after.memory_hash, before.memory_hash);
}

// A container that waits is not trusted: it must not find what CRIU needs, such as settings of the
// kernel that can be written.
TEST_F(RestoreTest, WhoWaitsSeesNothingOfTheRestoreInItsMounts) {
  ASSERT_OK_AND_ASSIGN(const auto source, rig_->StartWorkload("source", 64, 0));
  ASSERT_OK(AskWorkload(source.socket).status());
  ASSERT_OK(Capture("source", "snap").status());
  ASSERT_OK(StartPlaceholder("placeholder").status());
  const int pid = runtime_->Find("placeholder", Enough())->pid;
  const agent::ProcReader proc;
  ASSERT_OK_AND_ASSIGN(const std::string before, proc.MountInfo(pid));
  ASSERT_THAT(before, HasSubstr(" /proc/sys ro"));
  std::jthread watcher([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      EXPECT_EQ(*proc.MountInfo(pid), before);
    }
  });
  ASSERT_OK_AND_ASSIGN(const agent::RestoredContainer restored, Restore("placeholder", "snap"));
  EXPECT_THAT(*proc.MountInfo(restored.pid), HasSubstr(" /proc/sys ro"));
}

// W1, W2, W4
TEST_F(RestoreTest, WhatItChangedOfItsFilesComesBackToo) {
  ASSERT_OK_AND_ASSIGN(const auto source, rig_->StartWorkload("source", 1, 0));
  ASSERT_OK(AskWorkload(source.socket).status());
  const std::string from =
      "/proc/" + std::to_string(runtime_->Find("source", Enough())->pid) + "/root";
  std::ofstream(from + "/etc/base-file") << "changed\n";
  std::filesystem::remove(from + "/etc/delete-me");
  std::ofstream(from + "/tmp/new-file") << "new\n";
  std::ofstream(from + "/snapshot-control/mine") << "of the volume\n";
  ASSERT_OK(Capture("source", "snap").status());
  ASSERT_OK(StartPlaceholder("placeholder").status());
  ASSERT_OK_AND_ASSIGN(const auto restored, Restore("placeholder", "snap"));
  const std::string to = "/proc/" + std::to_string(restored.pid) + "/root";
  EXPECT_EQ(*RealFileSystem().Read(to + "/etc/base-file", 100), "changed\n");
  EXPECT_EQ(*RealFileSystem().Read(to + "/tmp/new-file", 100), "new\n");
  EXPECT_FALSE(std::filesystem::exists(to + "/etc/delete-me"));
  EXPECT_FALSE(std::filesystem::exists(to + "/snapshot-control/mine")) << "volumes are the pod's";
}

TEST_F(RestoreTest, TwoCopiesRunBesideEachOther) {
  ASSERT_OK_AND_ASSIGN(const auto source, rig_->StartWorkload("original", 8, 1));
  ASSERT_OK_AND_ASSIGN(const Spoken before, AskWorkload(source.socket));
  ASSERT_OK(Capture("original", "snap").status());
  for (const char* const name : {"copy-a", "copy-b"}) {
    ASSERT_OK_AND_ASSIGN(const auto copy, StartPlaceholder(name));
    ASSERT_OK(Restore(name, "snap").status());
    ASSERT_OK_AND_ASSIGN(const Spoken after, AskWorkload(copy.socket));
    EXPECT_EQ(after.memory_hash, before.memory_hash);
    EXPECT_EQ(after.requests, before.requests + 1);
  }
}

TEST_F(RestoreTest, NothingRunsFromADamagedArtifact) {
  ASSERT_OK_AND_ASSIGN(const auto source, rig_->StartWorkload("source", 8, 1));
  ASSERT_OK(AskWorkload(source.socket).status());
  ASSERT_OK(Capture("source", "snap").status());
  ASSERT_OK_AND_ASSIGN(const auto placeholder, StartPlaceholder("waiting"));
  const auto damage = [&](const std::string& file, std::streamoff at) {
    std::fstream stream(ArtifactOf("snap") + "/" + file,
                        std::ios::in | std::ios::out | std::ios::binary);
    stream.seekg(at);
    const char was = static_cast<char>(stream.get());
    stream.seekp(at);
    stream.put(static_cast<char>(was ^ 0x40));
  };
  // Memory: CRIU has put it in its place by then, and takes it away again.
  const std::string memory = LargestFile("snap");
  ASSERT_THAT(memory, StartsWith("pages-"));
  damage(memory, (3 << 20) + 5);
  const auto pages = Restore("waiting", "snap");
  EXPECT_CODE(Code::kDataLoss, pages);
  EXPECT_THAT(pages.status().message(), HasSubstr(memory + ": chunk 3"));
  damage(memory, (3 << 20) + 5);
  damage("core-1.img", 100);
  EXPECT_THAT(Restore("waiting", "snap").status().message(), HasSubstr("core-1.img: chunk 0"));
  damage("core-1.img", 100);
  ASSERT_OK_AND_ASSIGN(const auto facts, agent::GatherFacts(*runtime_, {}, "waiting", Enough()));
  EXPECT_EQ(std::count_if(facts.tree.begin(), facts.tree.end(),
                          [](const auto& process) { return !process.IsZombie(); }),
            1)
      << "only who waits";
  // The same container is still good for an artifact that is.
  ASSERT_OK(Restore("waiting", "snap").status());
  EXPECT_OK(AskWorkload(placeholder.socket).status());
}

// S3, A93
TEST_F(RestoreTest, ASnapshotStaysInItsNamespace) {
  ASSERT_OK_AND_ASSIGN(const auto source, rig_->StartWorkload("source", 1, 0));
  ASSERT_OK(AskWorkload(source.socket).status());
  ASSERT_OK(Capture("source", "snap").status());
  ASSERT_OK(StartPlaceholder("waiting").status());
  const auto stolen = Restore("waiting", "snap", "somebody-else");
  EXPECT_CODE(Code::kPermissionDenied, stolen);
  EXPECT_THAT(stolen.status().message(), HasSubstr("namespace team"));
  EXPECT_CODE(Code::kNotFound, Restore("waiting", "absent"));
}

// P10
TEST_F(RestoreTest, NothingIsRestoredWhereItsInstructionsAreMissing) {
  ASSERT_OK_AND_ASSIGN(const auto source, rig_->StartWorkload("source", 1, 0));
  ASSERT_OK(AskWorkload(source.socket).status());
  agent::CaptureServices elsewhere = CaptureParts();
  elsewhere.environment.architecture = agent::ThisMachine().architecture;
  elsewhere.environment.cpu_features = {"avx9999"};
  ASSERT_OK(agent::Capture(elsewhere, "source", OrderOf("snap"), Enough()).status());
  ASSERT_OK(StartPlaceholder("waiting").status());
  const auto refused = Restore("waiting", "snap");
  EXPECT_CODE(Code::kUnsupported, refused);
  EXPECT_THAT(refused.status().message(), HasSubstr("avx9999"));
}

TEST_F(RestoreTest, AnArtifactIsMadeOnceForEachOrder) {
  ASSERT_OK_AND_ASSIGN(const auto source, rig_->StartWorkload("source", 1, 0));
  ASSERT_OK(AskWorkload(source.socket).status());
  agent::CaptureOrder order = OrderOf("snap");
  order.content_uid = "content";
  ASSERT_OK_AND_ASSIGN(const agent::Captured first,
                       agent::Capture(CaptureParts(), "source", order, Enough()));
  ASSERT_OK_AND_ASSIGN(const agent::Captured again,
                       agent::Capture(CaptureParts(), "source", order, Enough()));
  EXPECT_TRUE(again.reused);
  EXPECT_EQ(again.root_digest, first.root_digest);
  order.content_uid = "another";
  EXPECT_CODE(Code::kAlreadyExists, agent::Capture(CaptureParts(), "source", order, Enough()));
  order.pod_namespace = "others";
  EXPECT_CODE(Code::kPermissionDenied, agent::Capture(CaptureParts(), "source", order, Enough()));
}

TEST_F(RestoreTest, PhasesAddUp) {
  ASSERT_OK_AND_ASSIGN(const auto source, rig_->StartWorkload("source", 4, 0));
  ASSERT_OK(AskWorkload(source.socket).status());
  const SteadyTime begin = RealClock().Now();
  ASSERT_OK_AND_ASSIGN(const agent::Captured captured, Capture("source", "snap"));
  const Duration wall = RealClock().Now() - begin;
  Duration sum{};
  for (const agent::Phase& phase : captured.phases) {
    EXPECT_GE(phase.took.count(), 0) << phase.name;
    sum += phase.took;
  }
  EXPECT_LE(sum, wall);
  // One begins where the one before ends (phases_test.cc), from the call to its return.
  EXPECT_EQ(captured.phases.front().name, "inspect");
  EXPECT_EQ(captured.phases.back().name, "publish");
}

}  // namespace
}  // namespace hearth::node
