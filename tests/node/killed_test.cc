// Whoever captures or restores is killed at any moment; who comes after him sets it right.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "agent/host/journal.h"
#include "snapshot/artifact/artifact.h"
#include "snapshot/artifact/store.h"
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
  void Recover() {
    ASSERT_OK(agent::RecoverUnfinished(RealFileSystem(), journal()).status());
    ASSERT_OK(snapshot::RemoveAbandoned(RealFileSystem(), *storage_).status());
  }
  bool NothingIsLeft() {
    Recover();
    return !std::filesystem::exists(journal()) || std::filesystem::is_empty(journal());
  }
};

TEST_F(KilledTest, ACaptureLeavesAllOrNothingAndTheContainerIsNotHeld) {
  int killed = 0;
  bool ended = false;
  for (int ms = 0; !ended; ms += 80) {
    SCOPED_TRACE(ms);
    const std::string name = "source-" + std::to_string(ms);
    ASSERT_OK_AND_ASSIGN(const auto source, rig_->StartWorkload(name, 64, 2));
    ASSERT_OK(AskWorkload(source.socket).status());
    ended = RunAndKill(std::chrono::milliseconds(ms), [&] { return Capture(name, name).status(); });
    killed += ended ? 0 : 1;
    Recover();
    const auto artifact = snapshot::Artifact::Open(ArtifactOf(name));
    if (artifact.ok()) {
      ASSERT_OK_AND_ASSIGN(const auto report,
                           snapshot::VerifyFiles(*artifact, {}, WaitLimit::Forever()));
      EXPECT_THAT(report.damages, IsEmpty());
    } else {
      EXPECT_CODE(Code::kNotFound, artifact);
      EXPECT_FALSE(std::filesystem::exists(rig_->directory() / ("storage/" + name)));
    }
    EXPECT_TRUE(NothingIsLeft());
    // Nothing keeps it from being killed, which is what becomes of it.
    rig_->Kill(source);
  }
  EXPECT_GT(killed, 0);
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
