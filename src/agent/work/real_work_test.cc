// The work of a node as the loops ask for it, over the Container Runtime Interface.
#include "agent/work/real_work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <future>

#include "agent/cri/cri_runtime.h"
#include "agent/work/kill_container.h"
#include "agent/work/testing/held_containers.h"
#include "base/testing/status_matchers.h"
#include "snapshot/artifact/testing/sample_artifact.h"

namespace hearth::agent {
namespace {

class RealWorkTest : public testing::Test {
 protected:
  RealWorkTest() {
    // Programs that are looked for, and not asked for anything here.
    for (const char* const name : {"criu", "nsrestore"}) {
      std::ofstream(Path(name)) << "#!/bin/sh\nread -r word\nexit 1\n";
      std::filesystem::permissions(Path(name), std::filesystem::perms::owner_all);
    }
  }
  std::unique_ptr<node::NodeWork> Make(bool other_namespaces = false,
                                       const std::string& proc = "/proc") {
    auto work = MakeRealWork(
        {.node = "node-1",
         .host_proc = proc,
         .journal_directory = Path("journal"),
         .bundle = Path("criu"),
         .nsrestore = Path("nsrestore"),
         .storage_directory = Path("storage"),
         .other_namespaces = other_namespaces},
        {.runtime = containers_.runtime(), .files = RealFileSystem(), .clock = RealClock()});
    EXPECT_OK(work.status());
    return *std::move(work);
  }
  void Publish(const std::string& id) {
    snapshot::Manifest manifest = snapshot::SampleManifest(id);  // of namespace team
    manifest.content_uid = "content-1";
    ASSERT_OK(snapshot::PublishSample(RealFileSystem(),
                                      *snapshot::StorageLayout::Create(Path("storage")), manifest,
                                      {{"pages-1.img", "pages"}}));
  }
  std::string Path(const std::string& name) const { return containers_.directory() / name; }
  static WaitLimit Enough() { return WaitLimit::For(RealClock(), std::chrono::minutes(1)); }

  HeldContainers containers_;
};

// restore.otherNamespaces: what the loop lets begin is not refused by the restore itself.
TEST_F(RealWorkTest, ArtifactsOfOtherNamespacesAreRestoredWhereThatIsAllowed) {
  Publish("lark");
  containers_.Start("c1");
  const node::NodeWork::RestoreTask task{.checkpoint_id = "lark",
                                         .artifact_version = "1",
                                         .container_id = "c1",
                                         .pod_namespace = "other"};
  EXPECT_CODE(Code::kPermissionDenied, Make()->Restore(task, Enough()));
  // It comes as far as the program that restores, which is none here.
  const Status tried = Make(true)->Restore(task, Enough()).status();
  EXPECT_FALSE(tried.ok());
  EXPECT_FALSE(tried.Is(Code::kPermissionDenied)) << tried.ToString();
}

// Its number may have been another one's by the time it is looked at.
TEST_F(RealWorkTest, AContainerOfAnotherPodIsNotRestoredInto) {
  Publish("lark");
  containers_.Start("c1", {"uid-old", "p1", "team", "main"});
  const node::NodeWork::RestoreTask task{.checkpoint_id = "lark",
                                         .artifact_version = "1",
                                         .container_id = "c1",
                                         .pod_namespace = "team",
                                         .pod_uid = "uid-new"};
  EXPECT_CODE(Code::kConflict, Make()->Restore(task, Enough()));
}

// 10.6: damage is an answer, with the file's name and, where it can be read, whose it is.
TEST_F(RealWorkTest, ADamagedArtifactIsToldWithItsOwner) {
  Publish("lark");
  const auto work = Make();
  const std::string place = Path("storage/lark/versions/1/");
  EXPECT_EQ(work->Look("lark", "1")->damage, "");
  std::filesystem::resize_file(place + "pages-1.img", 2);
  ASSERT_OK_AND_ASSIGN(const auto truncated, work->Look("lark", "1"));
  EXPECT_TRUE(truncated.present);
  EXPECT_THAT(truncated.damage, testing::HasSubstr("pages-1.img"));
  EXPECT_EQ(truncated.content_uid, "content-1");
  EXPECT_EQ(truncated.pod_namespace, "team");
  std::filesystem::remove(place + "manifest.yaml");
  ASSERT_OK_AND_ASSIGN(const auto ruin, work->Look("lark", "1"));
  EXPECT_TRUE(ruin.present);
  EXPECT_THAT(ruin.damage, testing::HasSubstr("manifest.yaml"));
  EXPECT_EQ(ruin.content_uid, "");
  // And it can be removed.
  EXPECT_OK(work->Remove("lark", "1", Enough()));
  EXPECT_FALSE(work->Look("lark", "1")->present);
}

// A70: what has exited counts as cleaned up, and what cannot be asked for does not.
TEST_F(RealWorkTest, AContainerThatHasEndedNeedsNoKilling) {
  containers_.Start("c1");
  containers_.Start("c2");
  const auto work = Make();
  EXPECT_OK(work->Kill("c1"));
  EXPECT_TRUE(containers_.AwaitEnd("c1"));
  containers_.End("c1");
  EXPECT_OK(work->Kill("c1"));
  EXPECT_OK(work->Kill("absent"));
  EXPECT_TRUE(containers_.Runs("c2"));
}

TEST_F(RealWorkTest, ARuntimeThatDoesNotAnswerIsNotTakenForAnEnd) {
  auto runtime = MakeCriRuntime({.socket = Path("nobody.sock")}, RealClock());
  ASSERT_OK(runtime.status());
  EXPECT_CODE(Code::kUnavailable, KillContainer(**runtime, {}, "c1", Enough()));
}

// The memory service makes its directory when it begins to save, and may be on another node, whose
// files the kernel here does not tell of: a directory in the place of the one that is watched is
// such a one.
TEST_F(RealWorkTest, AFileIsSeenInADirectoryThatComesLater) {
  containers_.Start("c1");
  const auto work = Make();
  const std::string directory = Path("gms");
  const auto wait = [&] {
    return std::async(std::launch::async, [&] {
      return work->WaitForSentinel("c1", directory, "gms-save-complete", Enough());
    });
  };
  EXPECT_CODE(Code::kDeadlineExceeded,
              work->WaitForSentinel("c1", directory, "gms-save-complete",
                                    WaitLimit::For(RealClock(), std::chrono::milliseconds(10))));
  auto late = wait();
  std::filesystem::create_directory(directory);
  auto moved = wait();
  std::filesystem::create_directory(directory + ".new");
  std::ofstream(directory + ".new/gms-save-complete");
  ASSERT_OK(RealFileSystem().Exchange(directory, directory + ".new"));
  EXPECT_OK(late.get());
  EXPECT_OK(moved.get());
  // Nobody will write it any more.
  std::filesystem::remove_all(directory);
  auto ended = wait();
  EXPECT_OK(work->Kill("c1"));
  EXPECT_CODE(Code::kUnavailable, ended.get());
  EXPECT_CODE(Code::kUnavailable, work->WaitForSentinel("c1", directory, "x", Enough()));
}

// A80: workloads of others read it.
TEST_F(RealWorkTest, ASentinelSaysDone) {
  const std::string root = Path("proc/") + std::to_string(containers_.Start("c1")) + "/root";
  std::filesystem::create_directories(root + "/snapshot-control");
  EXPECT_OK(Make(false, Path("proc"))->WriteSentinel("c1", "snapshot-complete"));
  EXPECT_EQ(*RealFileSystem().Read(root + "/snapshot-control/snapshot-complete", 100), "done\n");
}

// A StatefulSet's pod is made anew while the container of the old one still runs.
TEST_F(RealWorkTest, TheContainerOfAnotherPodOfTheNameIsNotFound) {
  containers_.Start("old", {"uid-old", "p1", "team", "main"});
  const auto work = Make();
  const PodContainer wanted{"uid-new", "p1", "team", "main"};
  EXPECT_CODE(Code::kNotFound,
              work->FindContainer(wanted, WaitLimit::For(RealClock(), Duration(0))));
  containers_.Start("new", wanted);
  ASSERT_OK_AND_ASSIGN(const std::string found, work->FindContainer(wanted, Enough()));
  EXPECT_EQ(found, "new");
}

}  // namespace
}  // namespace hearth::agent
