// Files that restores show in the place of an artifact's, in a mount namespace of the test's own.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <functional>
#include <set>
#include <thread>

#include "agent/restore/adapted_images.h"
#include "agent/restore/namespaces.h"
#include "agent/restore/private_root.h"
#include "base/file_system.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "snapshot/images/testing/sample_images.h"

namespace hearth::node {
namespace {

namespace fs = std::filesystem;
using agent::AdaptedImages;
using agent::ShownFile;
using testing::HasSubstr;
using testing::Not;

class ShownFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) {
      GTEST_SKIP() << "needs root: it mounts";
    }
    fs::create_directory(directory_ / "artifact");
    Write("changes", snapshot::images::SampleImages().at("files.img"));
  }
  void Write(const std::string& name, const std::string& bytes) {
    ASSERT_OK(RealFileSystem().Write(directory_ / "artifact/" + name, bytes, 0600));
  }
  std::string Read(const std::string& path) const {
    return RealFileSystem().Read(directory_ / path, 1 << 20).value_or("");
  }
  // On a thread whose mounts nobody else sees.
  static void Privately(const std::function<void()>& work) {
    std::thread([&] {
      ASSERT_EQ(::unshare(CLONE_NEWNS), 0);
      ASSERT_EQ(::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr), 0);
      work();
    }).join();
  }
  static std::string Mounts() {
    return RealFileSystem().Read("/proc/thread-self/mountinfo", 1 << 20).value_or("");
  }
  Result<AdaptedImages> Adapt() {
    ASSIGN_OR_RETURN(const UniqueFd artifact, agent::CloneForMount(directory_ / "artifact", false));
    ASSIGN_OR_RETURN(AdaptedImages images,
                     AdaptedImages::Show(artifact, place_, agent::RestorePlan(), 1));
    RETURN_IF_ERROR(images.ShowAdapted());
    return images;
  }

  TempDirectory directory_;
  const std::string place_ = directory_ / "place";
  const UniqueFd container_{::open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC)};
};

// A87: read-only, without devices, set-user programs and programs; of another device; gone after.
TEST_F(ShownFilesTest, AFileIsShownInThePlaceOfAnother) {
  Write("old", "old");
  Privately([&] {
    const std::string path = directory_ / "artifact/old";
    ASSERT_OK_AND_ASSIGN(UniqueFd file, agent::MakeUnlistedFile("new", place_));
    EXPECT_FALSE(fs::exists(place_)) << "it is in no directory";
    {
      ASSERT_OK_AND_ASSIGN(const ShownFile shown, ShownFile::Show(file, path));
      EXPECT_EQ(Read("artifact/old"), "new");
      struct statvfs flags {};
      ASSERT_EQ(::statvfs(path.c_str(), &flags), 0);
      const unsigned long wanted = ST_RDONLY | ST_NOSUID | ST_NODEV | ST_NOEXEC;
      EXPECT_EQ(flags.f_flag & wanted, wanted);
      struct stat inside {
      }, beside{};
      ASSERT_EQ(::stat(path.c_str(), &inside), 0);
      ASSERT_EQ(::stat((directory_ / "artifact").c_str(), &beside), 0);
      EXPECT_NE(inside.st_dev, beside.st_dev);
      EXPECT_FALSE(UniqueFd(::open(path.c_str(), O_WRONLY | O_CLOEXEC)).valid());
      EXPECT_EQ(errno, EROFS);
    }
    EXPECT_EQ(Read("artifact/old"), "old");
    EXPECT_THAT(Mounts(), Not(HasSubstr(directory_.path())));
  });
}

// A87
TEST_F(ShownFilesTest, WhatIsGoneAlreadyIsNotTakenAwayAgain) {
  Write("old", "old");
  Privately([&] {
    const std::string path = directory_ / "artifact/old";
    ASSERT_OK_AND_ASSIGN(const UniqueFd file, agent::MakeUnlistedFile("new", place_));
    {
      ASSERT_OK_AND_ASSIGN(const ShownFile shown, ShownFile::Show(file, path));
      ASSERT_EQ(::umount2(path.c_str(), MNT_DETACH), 0);
      fs::remove(path);
    }
    EXPECT_CODE(Code::kNotFound, ShownFile::Show(file, path));
  });
}

// A86
TEST_F(ShownFilesTest, LinksAreNotFollowed) {
  fs::create_symlink("changes", directory_ / "artifact/files.img");
  Privately([&] {
    ASSERT_OK_AND_ASSIGN(const UniqueFd file, agent::MakeUnlistedFile("new", place_));
    EXPECT_CODE(Code::kPermissionDenied, ShownFile::Show(file, directory_ / "artifact/files.img"));
    EXPECT_FALSE(Adapt().ok());
    EXPECT_FALSE(fs::exists(place_));
    EXPECT_THAT(Mounts(), Not(HasSubstr(directory_.path())));
  });
}

// A86: the artifact's bytes are intact; where nothing changes, nothing is mounted over it.
TEST_F(ShownFilesTest, ImagesAreAdaptedOnlyWhereTheyMust) {
  const std::string connected = snapshot::images::SampleImages().at("files.img");
  Write("files.img", connected);
  Privately([&] {
    {
      ASSERT_OK_AND_ASSIGN(const AdaptedImages images, Adapt());
      EXPECT_EQ(images.dropped().size(), 1U);
      EXPECT_NE(Read("place/files.img"), connected);
      EXPECT_EQ(Read("artifact/files.img"), connected);
    }
    EXPECT_FALSE(fs::exists(place_));
    Write("files.img", snapshot::images::ImageOf(0x56303138, {}));
    ASSERT_OK_AND_ASSIGN(const AdaptedImages same, Adapt());
    EXPECT_THAT(Mounts(), Not(HasSubstr("files.img")));
    EXPECT_EQ(Read("place/files.img"), Read("artifact/files.img"));
  });
}

TEST_F(ShownFilesTest, WhatAKilledOneHasLeftIsRemoved) {
  Write("files.img", snapshot::images::SampleImages().at("files.img"));
  Privately([&] {
    const pid_t child = ::fork();
    if (child == 0) {
      const auto images = Adapt();
      ::_exit(images.ok() ? 0 : 1);  // without any destructor
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0);
    EXPECT_THAT(Mounts(), HasSubstr("place/files.img"));
    EXPECT_OK(Adapt().status());
    EXPECT_THAT(Mounts(), Not(HasSubstr(place_)));
  });
}

// What we are in is ours: all of the container is in one directory, /proc is the kernel's.
TEST_F(ShownFilesTest, ARestoreHasARootOfItsOwn) {
  Privately([&] {
    ASSERT_OK_AND_ASSIGN(const UniqueFd null, agent::CloneNullDevice());
    ASSERT_OK(agent::EnterPrivateRoot(null));
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator("/")) {
      names.insert(entry.path().filename());
    }
    EXPECT_THAT(names,
                testing::ElementsAre("container", "dev", "mounts", "proc", "run", "tmp", "work"));
    EXPECT_TRUE(fs::is_empty("/run"));
    EXPECT_TRUE(fs::exists("/container" + directory_.path() + "/artifact"));
    EXPECT_EQ(fs::read_symlink("/proc/self"), std::to_string(::getpid()));
    EXPECT_OK(RealFileSystem().Read("/dev/null", 1).status());
    EXPECT_TRUE(UniqueFd(::open("/dev/null", O_RDWR | O_CLOEXEC)).valid());
  });
  EXPECT_TRUE(fs::exists(directory_ / "artifact")) << "others are where they were";
}

// Whoever removes a directory takes away what is mounted there in other namespaces: that is so for
// a directory of theirs. This thread is the restore, another one the container.
TEST_F(ShownFilesTest, NobodyTakesThePrivateRootAway) {
  Privately([&] {
    ASSERT_OK_AND_ASSIGN(const UniqueFd memory, agent::MakeScratch(0));
    ASSERT_OK_AND_ASSIGN(const auto theirs, agent::ShownDirectory::Show(memory, place_));
    ASSERT_OK(RealFileSystem().Write(place_ + "/ours", "", 0600));
    ASSERT_OK_AND_ASSIGN(const UniqueFd null, agent::CloneNullDevice());
    ASSERT_OK(agent::EnterPrivateRoot(null));
    ASSERT_TRUE(fs::exists("/container" + place_ + "/ours"));
    std::thread([&] {
      ASSERT_EQ(::unshare(CLONE_FS), 0);
      ASSERT_EQ(::setns(container_.get(), CLONE_NEWNS), 0);
      EXPECT_EQ(::rmdir(place_.c_str()), 0);
      EXPECT_NE(::rmdir("/proc/fs"), 0) << "where it was made";
      EXPECT_NE(::rename("/proc/fs", "/proc/fs-away"), 0);
      EXPECT_NE(::rename("/proc", "/proc-away"), 0);
    }).join();
    EXPECT_FALSE(fs::exists("/container" + place_ + "/ours"));
    EXPECT_TRUE(fs::exists("/work"));
  });
}

// A directory of the container's own could be taken away before we are there.
TEST_F(ShownFilesTest, AContainerWithoutTheKernelsProcIsNotEntered) {
  Privately([&] {
    ASSERT_OK_AND_ASSIGN(const UniqueFd null, agent::CloneNullDevice());
    ASSERT_EQ(::mount("none", "/proc", "tmpfs", 0, nullptr), 0);
    ASSERT_EQ(::mkdir("/proc/fs", 0755), 0);
    EXPECT_CODE(Code::kPermissionDenied, agent::EnterPrivateRoot(null));
  });
}

TEST(ReservePort, GivesEachOnce) {
  ASSERT_OK_AND_ASSIGN(const agent::ReservedPort one, agent::ReservePort());
  ASSERT_OK_AND_ASSIGN(const agent::ReservedPort other, agent::ReservePort());
  EXPECT_NE(one.number, 0);
  EXPECT_NE(one.number, other.number);
}

}  // namespace
}  // namespace hearth::node
