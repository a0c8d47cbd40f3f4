// A container is captured and killed, and comes back in another one.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "agent/host/journal.h"
#include "agent/host/machine.h"
#include "agent/host/restored_processes.h"
#include "base/strings.h"
#include "base/testing/moved_clock.h"
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
  Result<std::unique_ptr<ContainerRig>> MakeRig() override {
    auto rig = std::make_unique<RuncRig>();
    runc_ = rig.get();
    return Result<std::unique_ptr<ContainerRig>>(std::move(rig));
  }
  static std::multiset<std::string> MountPoints(const std::string& mount_info) {
    std::multiset<std::string> points;
    for (const std::string_view line : Split(mount_info, '\n')) {
      const auto words = Split(line, ' ');
      points.emplace(words.size() > 4 ? words[4] : "");
    }
    return points;
  }
  // Processes in a container.
  std::ptrdiff_t Living(const std::string& container) {
    const auto facts = agent::GatherFacts(*runtime_, {}, container, Enough());
    return facts.ok() ? std::count_if(facts->tree.begin(), facts->tree.end(),
                                      [](const auto& process) { return !process.IsZombie(); })
                      : -1;
  }
  std::string LargestFile(const std::string& id) const {
    const auto artifact = snapshot::Artifact::Open(ArtifactOf(id));
    const snapshot::StoredFile* largest = nullptr;
    for (const auto& file : artifact->contents().files) {
      largest = largest == nullptr || file.bytes > largest->bytes ? &file : largest;
    }
    return largest == nullptr ? "" : largest->name;
  }

  RuncRig* runc_ = nullptr;
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
  EXPECT_FALSE(std::filesystem::exists(placeholder.upper + "/tmp"));
  EXPECT_FALSE(std::filesystem::exists(placeholder.upper + "/var"));
  EXPECT_EQ(MountPoints(*proc.MountInfo(restored.pid)), MountPoints(*proc.MountInfo(waited)));
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

// Whoever removes or renames a directory takes away what is mounted there in other mount
// namespaces, and may put its own there: programs, which would run with our rights. So nothing of
// ours or of CRIU's is in the container's directories.
TEST_F(RestoreTest, WhoWaitsCannotTakeAnythingOfTheRestoreAway) {
  ASSERT_OK_AND_ASSIGN(const auto source, rig_->StartWorkload("source", 64, 0));
  ASSERT_OK_AND_ASSIGN(const Spoken before, AskWorkload(source.socket));
  ASSERT_OK(Capture("source", "snap").status());
  rig_->Kill(source);
  ASSERT_OK_AND_ASSIGN(const auto placeholder, StartPlaceholder("hostile"));
  const std::string process = "/proc/" + std::to_string(runtime_->Find("hostile", Enough())->pid);
  const UniqueFd mounts(::open((process + "/ns/mnt").c_str(), O_RDONLY | O_CLOEXEC));
  int taken = 0;
  const auto rob = [&](const std::stop_token& stop) {
    ASSERT_EQ(::unshare(CLONE_FS), 0);
    ASSERT_EQ(::setns(mounts.get(), CLONE_NEWNS), 0);
    std::filesystem::create_directories("/tmp");
    std::filesystem::create_directories("/run");
    while (!stop.stop_requested()) {
      for (const char* const place : {"/tmp", "/run"}) {
        std::error_code error;
        for (const auto& entry : std::filesystem::directory_iterator(place, error)) {
          taken += std::remove(entry.path().c_str()) == 0 ? 1 : 0;
        }
        std::rename(place, "/away");
        std::rename("/away", place);
      }
      for (const char* const place : {"/proc", "/proc/fs"}) {
        taken += ::rmdir(place) == 0 ? 1 : 0;
        taken += std::rename(place, "/away") == 0 ? 1 : 0;
      }
    }
  };
  std::jthread robber(rob);
  const auto restored = Restore("hostile", "snap");
  robber.request_stop();
  robber.join();
  ASSERT_OK(restored.status());
  EXPECT_EQ(taken, 0);
  ASSERT_OK_AND_ASSIGN(const Spoken after, AskWorkload(placeholder.socket));
  EXPECT_EQ(after.memory_hash, before.memory_hash);
}

// The kernel's settings can be written while CRIU works: what it writes must not be led there.
TEST_F(RestoreTest, CriuWritesNothingWhereALinkOfTheContainerLeads) {
  ASSERT_OK_AND_ASSIGN(const auto source, rig_->StartWorkload("source", 1, 0));
  ASSERT_OK(AskWorkload(source.socket).status());
  ASSERT_OK(Capture("source", "snap").status());
  rig_->Kill(source);
  ASSERT_OK_AND_ASSIGN(const auto placeholder, StartPlaceholder("hostile"));
  const std::string root =
      "/proc/" + std::to_string(runtime_->Find("hostile", Enough())->pid) + "/root";
  std::filesystem::create_directories(root + "/var/criu-work");
  std::ofstream(root + "/etc/setting") << "as it was";
  std::filesystem::create_symlink("/etc/setting", root + "/var/criu-work/restore.log");
  ASSERT_OK(Restore("hostile", "snap").status());
  EXPECT_OK(AskWorkload(placeholder.socket).status());
  EXPECT_EQ(*RealFileSystem().Read(root + "/etc/setting", 100), "as it was");
}

// What masks files of the kernel is the node's null device, and not what a link there leads to.
TEST_F(RestoreTest, WhatIsMountedAgainIsNotWhereALinkOfTheContainerLeads) {
  ASSERT_OK_AND_ASSIGN(const auto source, rig_->StartWorkload("source", 1, 0));
  ASSERT_OK(AskWorkload(source.socket).status());
  ASSERT_OK(Capture("source", "snap").status());
  rig_->Kill(source);
  ASSERT_OK_AND_ASSIGN(const auto placeholder, StartPlaceholder("hostile"));
  const std::string root =
      "/proc/" + std::to_string(runtime_->Find("hostile", Enough())->pid) + "/root";
  std::filesystem::remove(root + "/dev/null");
  std::filesystem::create_symlink("/dev/zero", root + "/dev/null");
  ASSERT_OK_AND_ASSIGN(const auto restored, Restore("hostile", "snap"));
  EXPECT_OK(AskWorkload(placeholder.socket).status());
  const std::string masked = "/proc/" + std::to_string(restored.pid) + "/root/proc/keys";
  struct stat info {};
  ASSERT_EQ(::stat(masked.c_str(), &info), 0);
  EXPECT_EQ(info.st_rdev, makedev(1, 3));
}

// What it could only read is not opened anew for what is restored, which writes to its output.
TEST_F(RestoreTest, WhatIsRestoredGetsNoMoreRightsThanWhoWaitsHas) {
  ASSERT_OK_AND_ASSIGN(const auto source, rig_->StartWorkload("source", 1, 0));
  ASSERT_OK(AskWorkload(source.socket).status());
  ASSERT_OK(Capture("source", "snap").status());
  rig_->Kill(source);
  ASSERT_OK(rig_->Start("hostile", {"/bin/workload", "standby", "/etc/base-file"}).status());
  const auto refused = Restore("hostile", "snap");
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.status().message(), HasSubstr("descriptor 1 of the placeholder is neither"));
}

// CRIU restores capabilities as they were, and works beside the container's processes with ours.
TEST_F(RestoreTest, WhatMayDoMoreThanWhoWaitsIsRefused) {
  runc_->Use({.further_capabilities = {"CAP_SYS_MODULE"}});
  ASSERT_OK_AND_ASSIGN(const auto source, rig_->StartWorkload("source", 1, 3));
  ASSERT_OK(AskWorkload(source.socket).status());
  ASSERT_OK(Capture("source", "snap").status());
  rig_->Kill(source);
  ASSERT_OK_AND_ASSIGN(const auto equal, StartPlaceholder("equal"));
  runc_->Use({});
  ASSERT_OK(StartPlaceholder("less").status());
  const auto less = Restore("less", "snap");
  EXPECT_CODE(Code::kPermissionDenied, less);
  EXPECT_THAT(less.status().message(), HasSubstr("numbers 16)"));
  runc_->Use({.further_capabilities = {"CAP_SYS_MODULE"}, .no_new_privileges = true});
  ASSERT_OK(StartPlaceholder("tied").status());
  EXPECT_EQ(Restore("tied", "snap").status().reason(), "MoreRights");
  ASSERT_OK_AND_ASSIGN(const auto bound, rig_->StartWorkload("bound", 1, 0));
  ASSERT_OK(AskWorkload(bound.socket).status());
  ASSERT_OK(Capture("bound", "as-tied").status());
  EXPECT_OK(Restore("tied", "as-tied").status());
  runc_->Use({.further_capabilities = {"CAP_SYS_MODULE", "CAP_SYS_PTRACE"}});
  ASSERT_OK(StartPlaceholder("tracer").status());
  EXPECT_EQ(Restore("tracer", "snap").status().reason(), "TracingContainer");
  ASSERT_OK(Restore("equal", "snap").status());
  EXPECT_OK(AskWorkload(equal.socket).status());
}

TEST_F(RestoreTest, WhatHadMoreOfProcThanWhoWaitsIsRefused) {
  runc_->Use({.unmasked = true});
  ASSERT_OK_AND_ASSIGN(const auto source, rig_->StartWorkload("source", 1, 0));
  ASSERT_OK(AskWorkload(source.socket).status());
  ASSERT_OK(Capture("source", "snap").status());
  rig_->Kill(source);
  runc_->Use({});
  ASSERT_OK(StartPlaceholder("masked").status());
  const auto refused = Restore("masked", "snap");
  EXPECT_EQ(refused.status().reason(), "MoreRights");
  EXPECT_THAT(refused.status().message(), HasSubstr("/proc/keys"));
}

// Outside of it the node's cgroups would be seen.
TEST_F(RestoreTest, WhatIsRestoredIsInTheCgroupNamespaceOfItsContainer) {
  runc_->Use({.own_cgroups = true});
  ASSERT_OK_AND_ASSIGN(const auto source, rig_->StartWorkload("source", 1, 0));
  ASSERT_OK(AskWorkload(source.socket).status());
  ASSERT_OK(Capture("source", "snap").status());
  rig_->Kill(source);
  ASSERT_OK_AND_ASSIGN(const auto placeholder, StartPlaceholder("placeholder"));
  ASSERT_OK_AND_ASSIGN(const agent::RestoredContainer restored, Restore("placeholder", "snap"));
  EXPECT_OK(AskWorkload(placeholder.socket).status());
  const agent::ProcReader proc;
  const int waits = runtime_->Find("placeholder", Enough())->pid;
  EXPECT_EQ(proc.NamespaceInode(restored.pid, "cgroup").value_or(0),
            proc.NamespaceInode(waits, "cgroup").value_or(1));
  EXPECT_NE(proc.NamespaceInode(restored.pid, "cgroup").value_or(0),
            proc.NamespaceInode(::getpid(), "cgroup").value_or(0));
}

// What an agent noted of the restore before holds no longer, also when this one fails.
TEST_F(RestoreTest, WhatWasNotedOfAContainerIsTakenBackBeforeAnotherRestore) {
  ASSERT_OK_AND_ASSIGN(const auto source, rig_->StartWorkload("source", 8, 1));
  ASSERT_OK(AskWorkload(source.socket).status());
  ASSERT_OK(Capture("source", "snap").status());
  rig_->Kill(source);
  ASSERT_OK(StartPlaceholder("waiting").status());
  const int waits = runtime_->Find("waiting", Enough())->pid;
  ASSERT_OK(Restore("waiting", "snap").status());
  EXPECT_EQ(agent::RestoredMark({}, waits), agent::kRestoredHere);
  ASSERT_OK(agent::MarkRestored({}, waits, "complete snap/1"));
  EXPECT_EQ(agent::RestoredMark({}, waits), "complete snap/1");
  std::fstream pages(ArtifactOf("snap") + "/" + LargestFile("snap"),
                     std::ios::in | std::ios::out | std::ios::binary);
  pages.seekp((3 << 20) + 5);
  pages.put('\x55');
  pages.close();
  EXPECT_FALSE(Restore("waiting", "snap").ok());
  EXPECT_EQ(agent::RestoredMark({}, waits), agent::kRestoredHere);
}

// The others' files are not in what was saved, and are no longer what the memory knows of them.
TEST_F(RestoreTest, WhatIsOfAnotherImageIsRefusedUnlessItIsAskedFor) {
  class OfImage : public agent::ContainerRuntime {
   public:
    explicit OfImage(agent::ContainerRuntime& real) : real_(real) {}
    Result<std::string> Version(const WaitLimit& limit) override { return real_.Version(limit); }
    Result<agent::Container> Find(std::string_view id, const WaitLimit& limit) override {
      ASSIGN_OR_RETURN(agent::Container container, real_.Find(id, limit));
      container.image_digest = digest;
      return container;
    }
    std::string digest = "sha256:one";

   private:
    agent::ContainerRuntime& real_;
  };
  OfImage images(*runtime_);
  runtime_ = &images;
  ASSERT_OK_AND_ASSIGN(const auto source, rig_->StartWorkload("source", 1, 0));
  ASSERT_OK(AskWorkload(source.socket).status());
  ASSERT_OK(Capture("source", "snap").status());
  rig_->Kill(source);
  ASSERT_OK(StartPlaceholder("waiting").status());
  images.digest = "sha256:two";
  const auto refused = Restore("waiting", "snap");
  EXPECT_CODE(Code::kUnsupported, refused);
  EXPECT_EQ(refused.status().reason(), "OtherImage");
  EXPECT_OK(agent::Restore(RestoreParts(), "waiting",
                           {.checkpoint_id = "snap", .pod_namespace = "team", .any_image = true},
                           Enough())
                .status());
}

// CRIU believes what it finds in /run, and asks the kernel at length when it finds nothing.
TEST_F(RestoreTest, CriuKnowsTheKernelFromUsAndNotFromTheContainer) {
  ASSERT_OK_AND_ASSIGN(const auto source, rig_->StartWorkload("source", 1, 0));
  ASSERT_OK(AskWorkload(source.socket).status());
  ASSERT_OK(Capture("source", "snap").status());
  rig_->Kill(source);
  for (const bool planted : {false, true}) {
    const std::string name = planted ? "hostile" : "harmless";
    ASSERT_OK_AND_ASSIGN(const auto placeholder, StartPlaceholder(name));
    const std::string root =
        "/proc/" + std::to_string(runtime_->Find(name, Enough())->pid) + "/root";
    std::filesystem::create_directory(root + "/run");
    if (planted) {
      std::ofstream(root + "/run/criu.kdat") << "what a container says of the kernel";
    }
    ASSERT_OK(Restore(name, "snap").status());
    EXPECT_OK(AskWorkload(placeholder.socket).status());
    const std::string log =
        RealFileSystem().Read(rig_->directory() / "criu/restore.log", 64 << 20).value_or("");
    EXPECT_THAT(log, HasSubstr("Loaded kdat cache from /run/criu.kdat"));
    // The container's is as it was.
    EXPECT_EQ(RealFileSystem().Read(root + "/run/criu.kdat", 100).value_or("none"),
              planted ? "what a container says of the kernel" : "none");
  }
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
  EXPECT_EQ(Living("waiting"), 1) << "only who waits";
  // The same container is still good for an artifact that is.
  ASSERT_OK(Restore("waiting", "snap").status());
  EXPECT_OK(AskWorkload(placeholder.socket).status());
}

// Artifacts of upstream's agents have no digests; the lengths of their files are known all the
// same.
TEST_F(RestoreTest, AnArtifactWithoutDigestsComesBackUnlessItsMemoryWasCutOff) {
  ASSERT_OK_AND_ASSIGN(const auto source, rig_->StartWorkload("source", 8, 1));
  ASSERT_OK_AND_ASSIGN(const Spoken before, AskWorkload(source.socket));
  ASSERT_OK(Capture("source", "snap").status());
  rig_->Kill(source);
  const std::string directory = ArtifactOf("snap");
  const std::string memory = directory + "/" + LargestFile("snap");
  ASSERT_OK_AND_ASSIGN(const auto sealed, snapshot::Artifact::Open(directory));
  snapshot::Manifest manifest = sealed.manifest();
  manifest.environment.reset();
  manifest.integrity.reset();
  ASSERT_OK(RealFileSystem().Write(directory + "/manifest.yaml", snapshot::WriteManifest(manifest),
                                   0600));
  std::filesystem::remove(directory + "/contents.json");

  ASSERT_OK_AND_ASSIGN(const auto placeholder, StartPlaceholder("whole"));
  ASSERT_OK_AND_ASSIGN(const auto restored, Restore("whole", "snap"));
  EXPECT_EQ(restored.root_digest, "");
  ASSERT_OK_AND_ASSIGN(const Spoken after, AskWorkload(placeholder.socket));
  EXPECT_EQ(after.memory_hash, before.memory_hash);

  ASSERT_OK(StartPlaceholder("waiting").status());
  for (const uintmax_t size : {std::filesystem::file_size(memory) - 4096, uintmax_t{0}}) {
    std::filesystem::resize_file(memory, size);
    const auto cut = Restore("waiting", "snap");
    EXPECT_CODE(Code::kDataLoss, cut);
    EXPECT_THAT(cut.status().message(),
                HasSubstr(std::filesystem::path(memory).filename().string() + " has"));
  }
  std::filesystem::remove(memory);
  EXPECT_CODE(Code::kDataLoss, Restore("waiting", "snap"));
}

// Also of one that has no digests, because another agent has made it.
TEST_F(RestoreTest, NothingIsRestoredWithoutTheImageOfItsFiles) {
  ASSERT_OK_AND_ASSIGN(const auto source, rig_->StartWorkload("source", 8, 1));
  ASSERT_OK_AND_ASSIGN(const Spoken before, AskWorkload(source.socket));
  ASSERT_OK(Capture("source", "snap").status());
  ASSERT_OK_AND_ASSIGN(const auto placeholder, StartPlaceholder("waiting"));
  const std::string artifact = ArtifactOf("snap");
  const std::string aside = rig_->directory() / "files.img";
  std::filesystem::copy_file(artifact + "/files.img", aside);
  std::filesystem::remove(artifact + "/files.img");
  const auto refused = Restore("waiting", "snap");
  EXPECT_CODE(Code::kDataLoss, refused);
  EXPECT_THAT(refused.status().message(), HasSubstr("files.img"));

  ASSERT_OK_AND_ASSIGN(const std::string manifest,
                       RealFileSystem().Read(artifact + "/manifest.yaml", 1 << 20));
  const size_t ours = manifest.find("\nhearth:");
  ASSERT_NE(ours, std::string::npos);
  ASSERT_OK(
      RealFileSystem().Write(artifact + "/manifest.yaml", manifest.substr(0, ours + 1), 0600));
  std::filesystem::remove(artifact + "/contents.json");
  const auto without_digests = Restore("waiting", "snap");
  EXPECT_CODE(Code::kDataLoss, without_digests);
  EXPECT_THAT(without_digests.status().message(),
              HasSubstr("files.img: it is not in the artifact"));
  EXPECT_EQ(Living("waiting"), 1) << "only who waits";

  std::filesystem::copy_file(aside, artifact + "/files.img");
  ASSERT_OK(Restore("waiting", "snap").status());
  ASSERT_OK_AND_ASSIGN(const Spoken after, AskWorkload(placeholder.socket));
  EXPECT_EQ(after.memory_hash, before.memory_hash);
}

// 10.6: somebody sets the node's clock, far ahead and back, again and again.
TEST_F(RestoreTest, AClockThatIsSetMeanwhileChangesNothing) {
  ASSERT_OK_AND_ASSIGN(const auto source, rig_->StartWorkload("source", 8, 1));
  ASSERT_OK_AND_ASSIGN(const Spoken before, AskWorkload(source.socket));
  ASSERT_OK_AND_ASSIGN(const auto placeholder, StartPlaceholder("waiting"));
  MovedClock clock;
  std::jthread somebody([&](const std::stop_token& stop) {
    for (int i = 0; !stop.stop_requested(); ++i) {
      clock.SetWall(i % 2 == 0 ? std::chrono::hours(24 * 365) : -std::chrono::hours(2 * 24 * 365));
      std::this_thread::yield();
    }
  });
  const auto limit = WaitLimit::For(clock, std::chrono::minutes(2));
  agent::CaptureServices captures = CaptureParts();
  agent::RestoreServices restores = RestoreParts();
  const agent::CaptureServices moved{.runtime = captures.runtime,
                                     .files = captures.files,
                                     .clock = clock,
                                     .criu = captures.criu,
                                     .storage = captures.storage,
                                     .journal_directory = captures.journal_directory};
  const SteadyTime begin = RealClock().Now();
  ASSERT_OK_AND_ASSIGN(const agent::Captured captured,
                       agent::Capture(moved, "source", OrderOf("snap"), limit));
  const agent::RestoreServices moved_too{.runtime = restores.runtime,
                                         .files = restores.files,
                                         .clock = clock,
                                         .nsrestore = restores.nsrestore,
                                         .bundle = restores.bundle,
                                         .storage = restores.storage,
                                         .journal_directory = restores.journal_directory};
  ASSERT_OK_AND_ASSIGN(const agent::RestoredContainer restored,
                       agent::Restore(moved_too, "waiting",
                                      {.checkpoint_id = "snap", .pod_namespace = "team"}, limit));
  const Duration took = RealClock().Now() - begin;
  Duration sum{};
  for (const auto* const phases : {&captured.phases, &restored.phases}) {
    for (const agent::Phase& phase : *phases) {
      EXPECT_GE(phase.took.count(), 0) << phase.name;
      sum += phase.took;
    }
  }
  EXPECT_LE(sum, took);
  ASSERT_OK_AND_ASSIGN(const Spoken after, AskWorkload(placeholder.socket));
  EXPECT_EQ(after.memory_hash, before.memory_hash);
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

// It would look once and then again after 100 ms. What it says when it has stopped them itself is
// not in its log, and they run again when it is done.
TEST_F(RestoreTest, CriuFindsTheProcessesStopped) {
  ASSERT_OK_AND_ASSIGN(const auto source, rig_->StartWorkload("source", 1, 0));
  ASSERT_OK(AskWorkload(source.socket).status());
  ASSERT_OK(Capture("source", "snap").status());
  ASSERT_OK_AND_ASSIGN(const std::string log,
                       RealFileSystem().Read(ArtifactOf("snap") + "/dump.log", 64 << 20));
  EXPECT_THAT(log, HasSubstr("freezing cgroup"));
  EXPECT_THAT(log, testing::Not(HasSubstr("freezing processes")));
  EXPECT_OK(AskWorkload(source.socket).status());
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
