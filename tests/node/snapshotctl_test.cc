// snapshotctl on this machine: containers of runc, and processes that are in none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "snapshot/ctl/exit_codes.h"
#include "snapshot/ctl/testing/run_snapshotctl.h"
#include "snapshot_rig.h"

namespace hearth::node {
namespace {

using snapshot::ctl::kExitFailed;
using snapshot::ctl::kExitNo;
using snapshot::ctl::Ran;
using snapshot::ctl::RunSnapshotctl;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class SnapshotctlNodeTest : public SnapshotTest {
 protected:
  Result<std::unique_ptr<ContainerRig>> MakeRig() override {
    auto rig = std::make_unique<RuncRig>();
    runc_root_ = rig->runc_root();
    return Result<std::unique_ptr<ContainerRig>>(std::move(rig));
  }
  Ran Ctl(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--storage", storage_->base()});
    return RunSnapshotctl(arguments);
  }
  Ran Local(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--local", "--criu", bundle_, "--runtime-root", runc_root_,
                                       "--journal", journal()});
    return Ctl(std::move(arguments));
  }

  std::string runc_root_;
};

TEST_F(SnapshotctlNodeTest, AContainerIsCapturedLookedAtAndRestored) {
  ASSERT_OK_AND_ASSIGN(const auto source, rig_->StartWorkload("source", 16, 4));
  ASSERT_OK_AND_ASSIGN(const Spoken before, AskWorkload(source.socket));
  const Ran lint = RunSnapshotctl({"lint", "source", "--runtime-root", runc_root_});
  EXPECT_EQ(lint.code, 0) << lint.out << lint.err;
  EXPECT_THAT(lint.out, HasSubstr("2 processes, 6 threads. A capture saves about 3"));

  const Ran captured = Local({"checkpoint", "--container", "source", "--checkpoint-id", "demo"});
  ASSERT_EQ(captured.code, 0) << captured.err;
  EXPECT_THAT(captured.out, StartsWith("status=completed\ncheckpoint_id=demo\ndirectory="));
  EXPECT_THAT(captured.out, HasSubstr("criu_dump "));
  rig_->Kill(source);

  const Ran looked = Ctl({"inspect", "demo"});
  EXPECT_EQ(looked.code, 0) << looked.err;
  EXPECT_THAT(looked.out,
              AllOf(HasSubstr("  1 workload (5 threads, 16."), HasSubstr("workload (1 thread, 16."),
                    HasSubstr("unix  listen"), HasSubstr("/snapshot-control")));
  EXPECT_EQ(Ctl({"verify", "demo", "--full"}).code, 0);
  const Ran fits = Ctl({"preflight", "demo", "--criu", bundle_});
  EXPECT_EQ(fits.code, 0) << fits.out;

  ASSERT_OK_AND_ASSIGN(const auto target, StartPlaceholder("target"));
  const Ran restored = Local({"restore", "--containers", "target", "--checkpoint-id", "demo",
                              "--nsrestore", NSRESTORE_PROGRAM, "-o", "json"});
  ASSERT_EQ(restored.code, 0) << restored.err;
  EXPECT_NE(restored.Json().FindPath("phases.criu_restore"), nullptr);
  ASSERT_OK_AND_ASSIGN(const Spoken after, AskWorkload(target.socket));
  EXPECT_EQ(after.token, before.token);
  EXPECT_EQ(after.memory_hash, before.memory_hash);
  EXPECT_EQ(after.requests, before.requests + 1);

  // What came back can be captured again, though it is in a pid namespace of its own.
  const Ran again = RunSnapshotctl({"lint", "target", "--runtime-root", runc_root_});
  EXPECT_EQ(again.code, 0) << again.out << again.err;
  EXPECT_THAT(again.out, HasSubstr("2 processes, 6 threads. A capture saves about 3"));
}

// What is kept beside the journal is where the journal is, and not in the machine's root.
TEST_F(SnapshotctlNodeTest, ARelativeJournalIsBelowTheDirectoryThatItIsRunIn) {
  ASSERT_OK_AND_ASSIGN(const auto source, rig_->StartWorkload("source", 1, 0));
  ASSERT_OK(AskWorkload(source.socket).status());
  ASSERT_OK_AND_ASSIGN(const auto waiting, StartPlaceholder("waiting"));
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(rig_->directory().path());
  const auto run = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--local", "--criu", bundle_, "--runtime-root", runc_root_,
                                       "--journal", "journal"});
    return Ctl(std::move(arguments));
  };
  const Ran captured = run({"checkpoint", "--container", "source", "--checkpoint-id", "demo"});
  const Ran restored = run({"restore", "--containers", "waiting", "--checkpoint-id", "demo",
                            "--nsrestore", NSRESTORE_PROGRAM});
  std::filesystem::current_path(before);
  EXPECT_EQ(captured.code, 0) << captured.err;
  EXPECT_EQ(restored.code, 0) << restored.err;
  EXPECT_TRUE(std::filesystem::exists(rig_->directory() / "criu/restore.log"));
}

TEST_F(SnapshotctlNodeTest, MemoryIsCompressedWhenThatIsAskedFor) {
  ASSERT_OK_AND_ASSIGN(const auto source, rig_->StartWorkload("source", 4, 1));
  ASSERT_OK_AND_ASSIGN(const Spoken before, AskWorkload(source.socket));
  const Ran captured = Local(
      {"checkpoint", "--container", "source", "--checkpoint-id", "demo", "--compression", "zstd"});
  ASSERT_EQ(captured.code, 0) << captured.err;
  rig_->Kill(source);
  EXPECT_THAT(Ctl({"inspect", "demo"}).out, AllOf(HasSubstr("\nCompressed  zstd, memory "),
                                                  HasSubstr("  1 workload (2 threads")));
  EXPECT_EQ(Ctl({"verify", "demo", "--full"}).code, 0);
  ASSERT_OK_AND_ASSIGN(const auto target, StartPlaceholder("target"));
  const Ran restored = Local({"restore", "--containers", "target", "--checkpoint-id", "demo",
                              "--nsrestore", NSRESTORE_PROGRAM});
  ASSERT_EQ(restored.code, 0) << restored.err;
  ASSERT_OK_AND_ASSIGN(const Spoken after, AskWorkload(target.socket));
  EXPECT_EQ(after.memory_hash, before.memory_hash);
  EXPECT_THAT(
      Local({"checkpoint", "--pid", "1", "--checkpoint-id", "no", "--compression", "zstd"}).err,
      HasSubstr("--compression is for containers"));
}

TEST_F(SnapshotctlNodeTest, AProcessIsCapturedAndRestored) {
  const std::string socket = rig_->directory() / "api.sock";
  ASSERT_OK_AND_ASSIGN(const int pid,
                       StartWorkload(socket, 16, 4, rig_->directory() / "workload.log"));
  ASSERT_OK_AND_ASSIGN(const Spoken before, AskWorkload(socket));
  const Ran captured =
      Local({"checkpoint", "--pid", std::to_string(pid), "--checkpoint-id", "tree"});
  ASSERT_EQ(captured.code, 0) << captured.err;
  EXPECT_OK(AskWorkload(socket).status());  // runs on

  const Ran taken = Local({"restore", "--checkpoint-id", "tree"});
  EXPECT_EQ(taken.code, kExitFailed);
  EXPECT_THAT(taken.err, HasSubstr("PidTaken")) << "it is there still";
  KillWorkload(pid);
  const Ran restored = Local({"restore", "--checkpoint-id", "tree"});
  ASSERT_EQ(restored.code, 0) << restored.err;
  EXPECT_THAT(restored.out, HasSubstr("\npid=" + std::to_string(pid) + "\n"));
  ASSERT_OK_AND_ASSIGN(const Spoken after, AskWorkload(socket));
  EXPECT_EQ(after.token, before.token);
  EXPECT_EQ(after.memory_hash, before.memory_hash);
  EXPECT_EQ(after.requests, before.requests + 1) << "what came after the capture never was";
  KillWorkload(pid);
  EXPECT_EQ(Ctl({"verify", "tree", "--full"}).code, 0) << "a restore leaves nothing in it";
}

TEST_F(SnapshotctlNodeTest, WhatIsNotThereOrOfAnotherKindIsTold) {
  EXPECT_THAT(Local({"checkpoint", "--container", "absent", "--checkpoint-id", "a"}).err,
              HasSubstr("absent"));
  EXPECT_THAT(Local({"checkpoint", "--checkpoint-id", "a"}).err,
              HasSubstr("exactly one of --container and --pid"));
  EXPECT_EQ(Local({"restore", "--checkpoint-id", "absent"}).code, kExitFailed);
  ASSERT_OK_AND_ASSIGN(const auto source, rig_->StartWorkload("source", 1, 0));
  ASSERT_OK(AskWorkload(source.socket).status());
  ASSERT_OK(Capture("source", "demo").status());
  EXPECT_THAT(Local({"restore", "--checkpoint-id", "demo", "--namespace", "team"}).err,
              HasSubstr("is of a container"));
  EXPECT_THAT(Local({"restore", "--checkpoint-id", "demo", "--namespace", "other", "--containers",
                     "source", "--nsrestore", NSRESTORE_PROGRAM})
                  .err,
              HasSubstr("team"))
      << "it is another namespace's";
}

TEST_F(SnapshotctlNodeTest, ThisMachineCanDoIt) {
  const Ran checked = RunSnapshotctl({"check", "--criu", bundle_});
  EXPECT_EQ(checked.code, 0) << checked.out;
  EXPECT_THAT(checked.out, HasSubstr("ok       criu check    looks good\n"));
  EXPECT_EQ(RunSnapshotctl({"check", "--criu", "/absent"}).code, kExitNo);
}

}  // namespace
}  // namespace hearth::node
