// Whoever captures or restores is killed at any moment; who comes after him sets it right.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <future>

#include "agent/capture/facts.h"
#include "agent/container/pinned_process.h"
#include "agent/host/freezer.h"
#include "agent/host/process_facts.h"
#include "agent/host/restored_processes.h"
#include "agent/work/kill_container.h"
#include "agent/work/recovery.h"
#include "base/process_runner.h"
#include "pod_network.h"
#include "snapshot/artifact/artifact.h"
#include "snapshot/artifact/verify.h"
#include "snapshot_rig.h"

namespace hearth::node {
namespace {

using testing::IsEmpty;

// A program of this machine that, when somebody finds it by this PATH, waits before it begins.
class SlowProgram {
 public:
  explicit SlowProgram(const std::string& name) {
    for (const char* const pipe : {"started", "go"}) {
      EXPECT_EQ(::mkfifo((directory_ / pipe).c_str(), 0600), 0);
    }
    // Both ends, so that opening waits for nobody; of the first, only what it writes counts.
    started_ =
        UniqueFd(::open((directory_ / "started").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    go_ = UniqueFd(::open((directory_ / "go").c_str(), O_RDWR | O_CLOEXEC));
    const std::string path = std::getenv("PATH");
    EXPECT_OK(RealFileSystem().Write(
        directory_ / name,
        fmt::format("#!/bin/sh\nPATH={}\nexec 9>{}\necho >&9\nread go <{}\n{} \"$@\"\n", path,
                    directory_ / "started", directory_ / "go", name),
        0755));
    path_ = directory_.path() + ":" + path;
  }
  const std::string& path() const { return path_; }
  bool AwaitStart() const { return Await(POLLIN); }
  // Of all that were started.
  void LetGoOn() const {
    // More than there will be.
    EXPECT_EQ(::write(go_.get(), "\n\n\n\n\n\n\n\n", 8), 8);
  }
  bool AwaitEnd() const {
    std::array<char, 64> words;
    while (Await(POLLIN | POLLHUP)) {
      if (::read(started_.get(), words.data(), words.size()) == 0) {
        return true;  // nobody has it open any more
      }
    }
    return false;
  }

 private:
  bool Await(short what) const {
    pollfd awaited{started_.get(), what, 0};
    return ::poll(&awaited, 1, 60'000) == 1;
  }
  TempDirectory directory_;
  UniqueFd started_;
  UniqueFd go_;
  std::string path_;
};

class KilledTest : public SnapshotTest {
 protected:
  // Does it in a process of its own and kills that one after a while; whether it was faster.
  Result<std::unique_ptr<ContainerRig>> MakeRig() override {
    auto rig = std::make_unique<RuncRig>();
    runc_ = rig.get();
    return Result<std::unique_ptr<ContainerRig>>(std::move(rig));
  }
  // So that moments are spread over the whole of it, however busy the machine is.
  template <typename Work>
  static std::chrono::milliseconds PartOfTheTimeOf(Work work) {
    const SteadyTime began = RealClock().Now();
    EXPECT_OK(work());
    const auto took =
        std::chrono::duration_cast<std::chrono::milliseconds>(RealClock().Now() - began);
    return std::max(took / 8, std::chrono::milliseconds(20));
  }
  // Whether CRIU's packet filter is in a network.
  static bool IsHeldBack(const PodNetwork& network) {
    bool held = false;
    for (const char* const program : {"iptables", "ip6tables"}) {
      const auto listed = RealProcessRunner().Run(
          {.argv = {"nsenter", "--net=" + network.path(), "--", program, "-S"}},
          WaitLimit::For(RealClock(), std::chrono::minutes(1)));
      EXPECT_TRUE(listed.ok() && listed->ok());
      held = held || listed->output.find("CRIU") != std::string::npos;
    }
    return held;
  }
  // All moments were tried, and too few of them were in the middle: what was measured took far
  // longer than what came after it. Then all is begun anew, in steps half as long.
  static bool BeginsAnew(std::chrono::milliseconds& part) {
    part /= 2;
    return part >= std::chrono::milliseconds(10);
  }
  template <typename Work>
  bool RunAndKill(std::chrono::milliseconds after, Work work) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::_exit(work().ok() ? 0 : 1);
    }
    const UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
    pollfd ended{pidfd.get(), POLLIN, 0};
    ::poll(&ended, 1, static_cast<int>(after.count()));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status);
  }
  // What a new agent does first.
  agent::CutOffCaptures Recover() {
    return agent::RecoverFromDeath(
        {.journal_directory = journal(), .storage_directory = storage_->base()},
        {.runtime = *runtime_, .files = RealFileSystem(), .clock = RealClock()}, Logger::Null());
  }
  enum class Victim { kContainer, kCriu };
  static std::string Name(Victim victim) {
    return victim == Victim::kContainer ? "container" : "criu";
  }
  // False: it was not there, or not any more.
  bool KillVictim(Victim victim, const std::string& container) {
    if (victim == Victim::kContainer) {
      return agent::KillContainer(*runtime_, {}, container, Enough()).ok();
    }
    // It is started through its own loader, and by its own name elsewhere.
    const auto tree = agent::ProcReader().Tree(::getpid());
    for (const agent::ProcessFacts& process : *tree) {
      if (process.name == "criu" || process.name == "loader.so") {
        return ::kill(process.pid, SIGKILL) == 0;
      }
    }
    return false;
  }
  bool Ends(const std::string& container) {
    const auto process = agent::PinnedProcess::Of(*runtime_, container, Enough());
    return !process.ok() || process->AwaitEnd(Enough()).ok();
  }
  // With an order, as the agent captures.
  Result<agent::Captured> Capture(const std::string& container, const std::string& id) {
    agent::CaptureOrder order = OrderOf(id);
    order.content_uid = "order-" + id;
    return agent::Capture(CaptureParts(), container, order, Enough());
  }
  // Or nobody at all. Who was killed may still be ending; what was restored would stay.
  bool OnlyWhoWaitsIsLeft(const std::string& container) {
    const WaitLimit limit = WaitLimit::For(RealClock(), std::chrono::minutes(1));
    size_t living = 2;
    while (living > 1 && !limit.Expired(RealClock())) {
      const auto found = runtime_->Find(container, Enough());
      const auto processes =
          found.ok() ? agent::ContainerProcesses({}, found->pid) : found.status();
      living =
          !processes.ok()
              ? 0
              : static_cast<size_t>(std::count_if(processes->begin(), processes->end(),
                                                  [](const auto& one) { return !one.IsZombie(); }));
    }
    return living <= 1;
  }
  bool OnlyOneWasRestored(const std::string& container) {
    const auto found = runtime_->Find(container, Enough());
    const auto processes = found.ok() ? agent::ContainerProcesses({}, found->pid) : found.status();
    return processes.ok() && agent::NestedRoots(*processes).size() == 1;
  }
  bool HasJournal() {
    const auto names = RealFileSystem().List(journal());
    return names.ok() && std::any_of(names->begin(), names->end(), [](const std::string& name) {
             return name.ends_with(".json");
           });
  }
  bool NothingIsLeft() {
    static_cast<void>(Recover());
    return !std::filesystem::exists(journal()) || std::filesystem::is_empty(journal());
  }

  RuncRig* runc_ = nullptr;
};

TEST_F(KilledTest, ACaptureLeavesAllOrNothingAndTheContainerIsNotHeld) {
  ASSERT_OK_AND_ASSIGN(const PodNetwork pod, PodNetwork::Make({}));
  runc_->Use({.network = pod.path()});
  ASSERT_OK_AND_ASSIGN(const auto first, rig_->StartWorkload("first", 64, 2));
  ASSERT_OK(AskWorkload(first.socket).status());
  auto part = PartOfTheTimeOf([&] { return Capture("first", "first").status(); });
  rig_->Kill(first);
  int tried = 0;
  int killed = 0;
  int middles = 0;
  int held_back = 0;
  bool ended = false;
  for (auto after = part * 0; !ended; after += part) {
    SCOPED_TRACE(after.count());
    const std::string name = "source-" + std::to_string(++tried);
    ASSERT_OK_AND_ASSIGN(const auto source, rig_->StartWorkload(name, 64, 2));
    ASSERT_OK(AskWorkload(source.socket).status());
    ended = RunAndKill(after, [&] { return Capture(name, name).status(); });
    killed += ended ? 0 : 1;
    held_back += IsHeldBack(pod) ? 1 : 0;
    const agent::CutOffCaptures cut_off = Recover();
    const auto artifact = snapshot::Artifact::Open(ArtifactOf(name));
    if (artifact.ok()) {
      ASSERT_OK_AND_ASSIGN(const auto report,
                           snapshot::VerifyFiles(*artifact, {}, WaitLimit::Forever()));
      EXPECT_THAT(report.damages, IsEmpty());
    } else {
      EXPECT_CODE(Code::kNotFound, artifact);
      EXPECT_FALSE(std::filesystem::exists(rig_->directory() / ("storage/" + name)));
    }
    // What CRIU was in the middle of does not run on, and is known; what it was not in answers.
    if (cut_off.containers.count(name) > 0) {
      EXPECT_CODE(Code::kNotFound, artifact);
      EXPECT_TRUE(Ends(name));
      EXPECT_EQ(cut_off.contents.count("order-" + name), 1U);
      middles += 1;
    } else {
      EXPECT_OK(AskWorkload(source.socket).status());
    }
    EXPECT_TRUE(NothingIsLeft());
    EXPECT_FALSE(IsHeldBack(pod)) << "others in the pod are cut off";
    rig_->Kill(source);
    if (ended && (middles == 0 || held_back == 0) && BeginsAnew(part)) {
      after = part * 0;
      ended = false;
    }
  }
  EXPECT_GT(killed, 0);
  EXPECT_GT(middles, 0) << "never in the middle";
  EXPECT_GT(held_back, 0) << "never while packets were held back";
}

// The others of its pod are there, and would be cut off as long as the pod is.
TEST_F(KilledTest, ThePodsNetworkIsLetGoWhenTheContainerIsGoneBeforeTheNextAgentComes) {
  ASSERT_OK_AND_ASSIGN(const PodNetwork pod, PodNetwork::Make({}));
  runc_->Use({.network = pod.path()});
  ASSERT_OK_AND_ASSIGN(const auto source, rig_->StartWorkload("source", 512, 2));
  ASSERT_OK(AskWorkload(source.socket).status());
  ASSERT_OK_AND_ASSIGN(const auto process, agent::PinnedProcess::Of(*runtime_, "source", Enough()));
  ASSERT_OK_AND_ASSIGN(const std::string cgroup,
                       agent::ProcReader().CgroupText(process.container().pid));
  const pid_t child = ::fork();
  if (child == 0) {
    ::_exit(Capture("source", "snap").ok() ? 0 : 1);
  }
  bool held = false;
  while (!held && ::waitpid(child, nullptr, WNOHANG) == 0) {
    held = IsHeldBack(pod);
  }
  ASSERT_TRUE(held) << "it was captured before anybody saw its network closed";
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ASSERT_OK(agent::Thaw(agent::FindFreezer(cgroup, "/sys/fs/cgroup")));
  rig_->Kill(source);
  ASSERT_OK(process.AwaitEnd(Enough()));
  ASSERT_TRUE(IsHeldBack(pod)) << "nothing is left to be set right";
  static_cast<void>(Recover());
  EXPECT_FALSE(IsHeldBack(pod)) << "others in the pod are cut off";
}

// CRIU dies with the agent, but not the iptables that it has just started.
TEST_F(KilledTest, ANetworkThatIsAboutToBeClosedIsLetGo) {
  ASSERT_OK_AND_ASSIGN(const PodNetwork pod, PodNetwork::Make({}));
  runc_->Use({.network = pod.path()});
  ASSERT_OK_AND_ASSIGN(const auto source, rig_->StartWorkload("source", 4, 1));
  ASSERT_OK(AskWorkload(source.socket).status());
  const SlowProgram iptables("iptables-restore");
  const pid_t child = ::fork();
  if (child == 0) {
    ::setenv("PATH", iptables.path().c_str(), 1);
    ::_exit(Capture("source", "snap").ok() ? 0 : 1);
  }
  ASSERT_TRUE(iptables.AwaitStart());
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  static_cast<void>(Recover());
  iptables.LetGoOn();
  ASSERT_TRUE(iptables.AwaitEnd());
  EXPECT_FALSE(IsHeldBack(pod)) << "others in the pod are cut off";
  EXPECT_TRUE(Ends("source"));
}

// 10.6: the workload, or CRIU, is killed while it is captured, at many moments: a failure that is
// told, nothing that is published or left, and a container that is not held; or all of it, when it
// came too late.
TEST_F(KilledTest, ACaptureWhoseWorkloadOrCriuIsKilledFailsAndHoldsNothing) {
  ASSERT_OK_AND_ASSIGN(const PodNetwork pod, PodNetwork::Make({}));
  runc_->Use({.network = pod.path()});
  for (const Victim victim : {Victim::kContainer, Victim::kCriu}) {
    int hit = 0;
    bool ended = false;
    for (int ms = 0; !ended; ms += 40 + ms / 2) {
      SCOPED_TRACE(ms);
      const std::string name = Name(victim) + std::to_string(ms);
      ASSERT_OK_AND_ASSIGN(const auto source, rig_->StartWorkload(name, 64, 2));
      ASSERT_OK(AskWorkload(source.socket).status());
      auto capture = std::async(std::launch::async, [&] { return Capture(name, name).status(); });
      ended = capture.wait_for(std::chrono::milliseconds(ms)) == std::future_status::ready;
      hit += !ended && KillVictim(victim, name) ? 1 : 0;
      const Status captured = capture.get();
      EXPECT_EQ(captured.ok(), snapshot::Artifact::Open(ArtifactOf(name)).ok()) << captured;
      EXPECT_FALSE(IsHeldBack(pod)) << "others in the pod are cut off";
      EXPECT_TRUE(NothingIsLeft());
      EXPECT_EQ(captured.ok(), std::filesystem::exists(rig_->directory() / ("storage/" + name)));
      // Not held by anybody: it can be ended, which is what becomes of it.
      rig_->Kill(source);
      EXPECT_TRUE(Ends(name));
    }
    EXPECT_GT(hit, 0) << Name(victim);
  }
}

// 10.6: the same for what is restored into.
TEST_F(KilledTest, ARestoreWhosePlaceholderOrCriuIsKilledFailsAndLeavesNothing) {
  ASSERT_OK_AND_ASSIGN(const auto source, rig_->StartWorkload("source", 64, 2));
  ASSERT_OK(AskWorkload(source.socket).status());
  ASSERT_OK(Capture("source", "snap").status());
  for (const Victim victim : {Victim::kContainer, Victim::kCriu}) {
    int hit = 0;
    bool ended = false;
    for (int ms = 0; !ended; ms += 40 + ms / 2) {
      SCOPED_TRACE(ms);
      const std::string name = "waiting-" + Name(victim) + std::to_string(ms);
      ASSERT_OK_AND_ASSIGN(const auto placeholder, StartPlaceholder(name));
      auto restore = std::async(std::launch::async, [&] { return Restore(name, "snap").status(); });
      ended = restore.wait_for(std::chrono::milliseconds(ms)) == std::future_status::ready;
      const bool killed = !ended && KillVictim(victim, name);
      hit += killed ? 1 : 0;
      const Status restored = restore.get();
      EXPECT_TRUE(restored.ok() || killed) << restored;
      EXPECT_TRUE(restored.ok() || OnlyWhoWaitsIsLeft(name));
      EXPECT_TRUE(NothingIsLeft());
      rig_->Kill(placeholder);
      EXPECT_TRUE(Ends(name));
    }
    EXPECT_GT(hit, 0) << Name(victim);
  }
}

// As when somebody ends `snapshotctl restore --local`.
TEST_F(KilledTest, ARestoreThatIsStoppedLeavesNothingThatWasRestored) {
  ASSERT_OK_AND_ASSIGN(const auto source, rig_->StartWorkload("source", 64, 2));
  ASSERT_OK(AskWorkload(source.socket).status());
  ASSERT_OK(Capture("source", "snap").status());
  ASSERT_OK_AND_ASSIGN(const auto first, StartPlaceholder("first"));
  auto part = PartOfTheTimeOf([&] { return Restore("first", "snap").status(); }) / 2;
  rig_->Kill(first);
  int tried = 0;
  int stopped = 0;
  bool ended = false;
  for (auto after = part; !ended; after += part) {
    SCOPED_TRACE(after.count());
    const std::string name = "waiting-" + std::to_string(++tried);
    ASSERT_OK_AND_ASSIGN(const auto placeholder, StartPlaceholder(name));
    std::stop_source stop;
    auto restore = std::async(std::launch::async, [&] {
      return agent::Restore(RestoreParts(), name,
                            {.checkpoint_id = "snap", .pod_namespace = "team"},
                            {.deadline = SteadyTime::max(), .stop = stop.get_token()})
          .status();
    });
    ended = restore.wait_for(after) == std::future_status::ready;
    stop.request_stop();
    const Status restored = restore.get();
    stopped += restored.ok() ? 0 : 1;
    EXPECT_TRUE(restored.ok() || OnlyWhoWaitsIsLeft(name)) << restored;
    EXPECT_TRUE(NothingIsLeft());
    rig_->Kill(placeholder);
    if (ended && stopped <= 2 && BeginsAnew(part)) {
      after = part * 0;
      ended = false;
    }
  }
  EXPECT_GT(stopped, 2);
}

// W8, W25: the programs of the killed one die with it, or are ended by the next to come.
TEST_F(KilledTest, ARestoreIsDoneAgainInTheSameContainer) {
  ASSERT_OK_AND_ASSIGN(const auto source, rig_->StartWorkload("source", 64, 2));
  ASSERT_OK_AND_ASSIGN(const Spoken before, AskWorkload(source.socket));
  ASSERT_OK(Capture("source", "snap").status());
  ASSERT_OK_AND_ASSIGN(const auto first, StartPlaceholder("first"));
  const auto part = PartOfTheTimeOf([&] { return Restore("first", "snap").status(); });
  rig_->Kill(first);
  bool ended = false;
  bool recovers = false;
  for (auto after = part * 0; !ended; after += part) {
    SCOPED_TRACE(after.count());
    recovers = !recovers;
    const std::string name = "waiting-" + std::to_string(after.count());
    ASSERT_OK_AND_ASSIGN(const auto placeholder, StartPlaceholder(name));
    ended = RunAndKill(after, [&] { return Restore(name, "snap").status(); });
    // Whoever comes first, an agent or another restore, ends what is left.
    if (recovers) {
      const bool in_the_middle = HasJournal();
      Recover();
      EXPECT_TRUE(!in_the_middle || OnlyWhoWaitsIsLeft(name));
    }
    ASSERT_OK(Restore(name, "snap").status());
    EXPECT_TRUE(OnlyOneWasRestored(name));
    ASSERT_OK_AND_ASSIGN(const Spoken again, AskWorkload(placeholder.socket));
    EXPECT_EQ(again.memory_hash, before.memory_hash);
    EXPECT_TRUE(NothingIsLeft());
    rig_->Kill(placeholder);
  }
}

}  // namespace
}  // namespace hearth::node
