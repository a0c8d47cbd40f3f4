// Whoever captures or restores is killed at any moment; who comes after him sets it right.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <future>

#include "agent/container/pinned_process.h"
#include "agent/host/process_facts.h"
#include "agent/work/kill_container.h"
#include "agent/work/recovery.h"
#include "snapshot/artifact/artifact.h"
#include "snapshot/artifact/verify.h"
#include "snapshot_rig.h"

namespace hearth::node {
namespace {

using testing::IsEmpty;

class KilledTest : public SnapshotTest {
 protected:
  // Does it in a process of its own and kills that one after a while; whether it was faster.
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
  bool NothingIsLeft() {
    static_cast<void>(Recover());
    return !std::filesystem::exists(journal()) || std::filesystem::is_empty(journal());
  }
};

TEST_F(KilledTest, ACaptureLeavesAllOrNothingAndTheContainerIsNotHeld) {
  int killed = 0;
  int middles = 0;
  bool ended = false;
  for (int ms = 0; !ended; ms += 80) {
    SCOPED_TRACE(ms);
    const std::string name = "source-" + std::to_string(ms);
    ASSERT_OK_AND_ASSIGN(const auto source, rig_->StartWorkload(name, 64, 2));
    ASSERT_OK(AskWorkload(source.socket).status());
    ended = RunAndKill(std::chrono::milliseconds(ms), [&] { return Capture(name, name).status(); });
    killed += ended ? 0 : 1;
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
    rig_->Kill(source);
  }
  EXPECT_GT(killed, 0);
  EXPECT_GT(middles, 0) << "never in the middle";
}

// 10.6: the workload, or CRIU, is killed while it is captured, at many moments: a failure that is
// told, nothing that is published or left, and a container that is not held; or all of it, when it
// came too late.
TEST_F(KilledTest, ACaptureWhoseWorkloadOrCriuIsKilledFailsAndHoldsNothing) {
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
      EXPECT_TRUE(NothingIsLeft());
      rig_->Kill(placeholder);
      EXPECT_TRUE(Ends(name));
    }
    EXPECT_GT(hit, 0) << Name(victim);
  }
}

// W8, W25: the programs of the killed one die with it, and are waited for.
TEST_F(KilledTest, ARestoreIsDoneAgainInTheSameContainer) {
  ASSERT_OK_AND_ASSIGN(const auto source, rig_->StartWorkload("source", 64, 2));
  ASSERT_OK_AND_ASSIGN(const Spoken before, AskWorkload(source.socket));
  ASSERT_OK(Capture("source", "snap").status());
  bool ended = false;
  for (int ms = 0; !ended; ms += 80) {
    SCOPED_TRACE(ms);
    const std::string name = "waiting-" + std::to_string(ms);
    ASSERT_OK_AND_ASSIGN(const auto placeholder, StartPlaceholder(name));
    ended =
        RunAndKill(std::chrono::milliseconds(ms), [&] { return Restore(name, "snap").status(); });
    Recover();
    ASSERT_OK(Restore(name, "snap").status());
    ASSERT_OK_AND_ASSIGN(const Spoken after, AskWorkload(placeholder.socket));
    EXPECT_EQ(after.memory_hash, before.memory_hash);
    EXPECT_TRUE(NothingIsLeft());
    rig_->Kill(placeholder);
  }
}

}  // namespace
}  // namespace hearth::node
