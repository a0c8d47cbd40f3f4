// What becomes of containers whose agent was killed.
#include "agent/work/recovery.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "agent/host/journal.h"
#include "agent/work/testing/held_containers.h"
#include "base/strings.h"
#include "base/testing/moved_clock.h"
#include "base/testing/status_matchers.h"
#include "snapshot/artifact/testing/sample_artifact.h"

namespace hearth::agent {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Every process uses CUDA and is locked until it is unlocked.
class LockedDriver : public cuda::CudaCheckpoint {
 public:
  explicit LockedDriver(MovedClock& clock) : clock_(clock) {}
  Result<cuda::State> StateOf(int, const WaitLimit&) override { return cuda::State::kLocked; }
  Result<int> RestoreThread(int pid, const WaitLimit& limit) override {
    if (hangs) {
      clock_.Advance(limit.Remaining(clock_));
    }
    RETURN_IF_ERROR(limit.Check(clock_, "the driver"));
    return pid;
  }
  Status Lock(int, Duration, const WaitLimit&) override { return Status::Ok(); }
  Status Checkpoint(int, const WaitLimit&) override { return Status::Ok(); }
  Status Restore(int, const cuda::DeviceMap&, const WaitLimit&) override { return Status::Ok(); }
  Status Unlock(int pid, const WaitLimit&) override {
    unlocked.push_back(pid);
    return Status::Ok();
  }
  std::vector<int> unlocked;
  bool hangs = false;

 private:
  MovedClock& clock_;
};

// Lists what it is to run, and in which network, and does not.
class ListingRunner : public ProcessRunner {
 public:
  explicit ListingRunner(Clock& clock) : clock_(clock) {}
  Result<ProcessOutcome> Run(const ProcessSpec& spec, const WaitLimit& limit) override {
    if (fails) {
      return UnavailableError("iptables does not answer");
    }
    EXPECT_OK(limit.Check(clock_, "what was before has taken all of the time"));
    constexpr std::string_view kNetwork = "--net=";
    if (spec.argv.size() > 2 && spec.argv[1].starts_with(kNetwork)) {
      struct stat info {};
      EXPECT_EQ(::stat(spec.argv[1].c_str() + kNetwork.size(), &info), 0) << spec.argv[1];
      networks.push_back(info.st_ino);
      ran.push_back(Join({spec.argv.begin() + 3, spec.argv.end()}, " "));
    }
    return ProcessOutcome();
  }
  std::vector<std::string> ran;
  std::vector<uint64_t> networks;
  bool fails = false;

 private:
  Clock& clock_;
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
                             .clock = clock_,
                             .cuda = &cuda_,
                             .processes = programs_},
                            Logger());
  }
  std::string Path(const std::string& name) const { return containers_.directory() / name; }
  std::string Text(const std::string& name) {
    return RealFileSystem().Read(Path(name), 1 << 20).value_or("");
  }

  // As the node sees it: a process that has CUDA's library.
  void ShowUserOfCuda(int pid) {
    proc_ = Path("proc");
    const std::string folder = fmt::format("{}/{}", proc_, pid);
    std::filesystem::create_directories(folder);
    std::ofstream(folder + "/status")
        << fmt::format("Name:\tengine\nState:\tS (sleeping)\nPid:\t{0}\nNSpid:\t{0}\t1\n", pid);
    std::ofstream(folder + "/maps") << "7f00-7f01 r-xp /lib/libcuda.so.1\n";
  }
  // A pod's network, with a process in it that is not the container's. Its inode.
  uint64_t ShowNetwork(int pid) {
    const std::string folder = fmt::format("{}/{}/ns", proc_, pid);
    std::filesystem::create_directories(folder);
    std::ofstream(folder + "/net") << "a network";
    struct stat info {};
    EXPECT_EQ(::stat((folder + "/net").c_str(), &info), 0);
    return info.st_ino;
  }

  HeldContainers containers_;
  MovedClock clock_;
  LockedDriver driver_{clock_};
  cuda::Sequence cuda_{driver_, RealClock()};
  ListingRunner programs_{clock_};
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
  ShowUserOfCuda(pid);
  Leave(Entry("c1"));
  Recover();
  EXPECT_THAT(driver_.unlocked, ElementsAre(pid));
  EXPECT_TRUE(containers_.AwaitEnd("c1"));
}

// CRIU's packet filter holds back all that is in the pod, and nobody else would remove it.
TEST_F(RecoveryTest, ThePodsNetworkIsLetGo) {
  containers_.Start("c1");
  JournalEntry entry = Entry("c1");
  proc_ = Path("proc");
  entry.network_namespace = ShowNetwork(70);
  Leave(entry);
  Recover();
  EXPECT_THAT(programs_.ran, testing::Contains("iptables -w -S"));
  EXPECT_THAT(programs_.networks, testing::Each(entry.network_namespace));
  EXPECT_TRUE(containers_.AwaitEnd("c1"));
}

// The others of the pod are still there.
TEST_F(RecoveryTest, ThePodsNetworkIsLetGoWhenTheContainerIsGone) {
  containers_.Start("c1");
  containers_.End("c1");
  JournalEntry entry = Entry("c1");
  proc_ = Path("proc");
  entry.network_namespace = ShowNetwork(70);
  Leave(entry);
  Recover();
  EXPECT_THAT(programs_.ran, testing::Contains("iptables -w -S"));
  EXPECT_THAT(programs_.networks, testing::Each(entry.network_namespace));
  EXPECT_TRUE(std::filesystem::is_empty(Path("journal")));
}

TEST_F(RecoveryTest, WithThePodItsNetworkIsGone) {
  containers_.Start("c1");
  containers_.End("c1");
  JournalEntry entry = Entry("c1");
  entry.network_namespace = 1;  // nobody's
  Leave(entry);
  Recover();
  EXPECT_THAT(programs_.ran, IsEmpty());
  EXPECT_TRUE(std::filesystem::is_empty(Path("journal")));
}

// Of an agent that did not write down which it is.
TEST_F(RecoveryTest, TheNetworkOfAnOlderJournalIsThatOfTheContainer) {
  const int pid = containers_.Start("c1");
  proc_ = Path("proc");
  const uint64_t network = ShowNetwork(pid);
  Leave(Entry("c1"));
  Recover();
  EXPECT_THAT(programs_.networks, testing::Contains(network));
}

TEST_F(RecoveryTest, ANetworkThatCannotBeLetGoIsTriedAgain) {
  containers_.Start("c1");
  JournalEntry entry = Entry("c1");
  proc_ = Path("proc");
  entry.network_namespace = ShowNetwork(70);
  Leave(entry);
  programs_.fails = true;
  EXPECT_THAT(Recover().containers, ElementsAre("c1"));
  EXPECT_TRUE(containers_.AwaitEnd("c1")) << "it is killed all the same";
  EXPECT_FALSE(std::filesystem::is_empty(Path("journal")));
  containers_.End("c1");
  programs_.fails = false;
  Recover();
  EXPECT_THAT(programs_.networks, testing::Contains(entry.network_namespace));
  EXPECT_TRUE(std::filesystem::is_empty(Path("journal")));
}

// A driver that does not answer takes its own time and no other.
TEST_F(RecoveryTest, AStepThatHangsKeepsNoneOfTheOthers) {
  const int pid = containers_.Start("c1");
  ShowUserOfCuda(pid);
  JournalEntry entry = Entry("c1");
  entry.network_namespace = ShowNetwork(70);
  Leave(entry);
  driver_.hangs = true;
  Recover();
  EXPECT_THAT(programs_.networks, testing::Contains(entry.network_namespace));
  EXPECT_TRUE(containers_.AwaitEnd("c1"));
  EXPECT_TRUE(std::filesystem::is_empty(Path("journal")));
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
