#include "agent/files/save_files.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <latch>
#include <thread>

#include "agent/files/list_files.h"
#include "agent/files/path_list.h"
#include "agent/files/testing/tree.h"
#include "base/testing/manual_clock.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"

namespace hearth::agent {
namespace {

namespace fs = std::filesystem;
using files::Exists;
using files::OpenDirectory;
using files::ReadFile;
using files::WriteFile;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class SaveFilesTest : public testing::Test {
 protected:
  SaveFilesTest() {
    fs::create_directory(upper_);
    fs::create_directory(images_);
  }
  Result<FilesReport> Save(const LeftOut& left_out = {},
                           const WaitLimit& limit = WaitLimit::Forever()) {
    return SaveFiles(OpenDirectory(upper_).get(), OpenDirectory(images_).get(), left_out, limit);
  }
  std::vector<std::string> SavedPaths() {
    std::vector<std::string> paths;
    const auto entries = ListFiles(OpenDirectory(images_).get(), WaitLimit::Forever());
    EXPECT_OK(entries);
    for (const FileEntry& entry : entries.value()) {
      if (!entry.path.empty()) {
        paths.push_back(entry.path);
      }
    }
    return paths;
  }
  void Whiteout(const std::string& path) {
    ASSERT_EQ(::mknod((upper_ + "/" + path).c_str(), S_IFCHR | 0600, 0), 0);
  }

  TempDirectory temporary_;
  const std::string upper_ = temporary_ / "upper";
  const std::string images_ = temporary_ / "images";
};

TEST_F(SaveFilesTest, SavesFilesAndDirectories) {
  fs::create_directories(upper_ + "/a/empty");
  WriteFile(upper_ + "/a/f", "content");
  fs::create_symlink("/nowhere", upper_ + "/l");
  ASSERT_OK_AND_ASSIGN(const FilesReport report, Save());
  EXPECT_EQ(report.files, 2U);
  EXPECT_EQ(report.bytes, 7U);
  EXPECT_THAT(SavedPaths(), UnorderedElementsAre("a", "a/empty", "a/f", "l"));
}

// A79: what is written is complete and nothing else is left; artifacts are for the agent only.
TEST_F(SaveFilesTest, A79LeavesTheArchiveAloneReadableByItsOwner) {
  WriteFile(upper_ + "/f", "content");
  ASSERT_OK(Save());
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(images_)) {
    names.push_back(entry.path().filename());
    EXPECT_EQ(entry.status().permissions(), fs::perms::owner_read | fs::perms::owner_write);
  }
  EXPECT_THAT(names, ElementsAre("rootfs-diff.tar"));
}

// A78: whiteout listing; deleted-files.json written, or not when there is nothing to say.
// W1: deletions as the kernel marks them, not only names that begin with .wh.
TEST_F(SaveFilesTest, A78W1DeletionsOfTheKernelsOverlayAreListed) {
  fs::create_directory(upper_ + "/etc");
  Whiteout("etc/gone");
  Whiteout("bad\xff");
  WriteFile(upper_ + "/etc/.wh.kept", "an ordinary file");
  ASSERT_OK_AND_ASSIGN(const FilesReport report, Save());
  EXPECT_EQ(report.deleted, 2U);
  ASSERT_OK_AND_ASSIGN(const auto deleted,
                       ParsePathList(ReadFile(images_ + "/deleted-files.json")));
  EXPECT_THAT(deleted, ElementsAre("bad\xff", "etc/gone"));
  EXPECT_THAT(SavedPaths(), UnorderedElementsAre("etc", "etc/.wh.kept"));
  EXPECT_FALSE(Exists(images_ + "/opaque-directories.json"));
}

TEST_F(SaveFilesTest, WhiteoutsInAttributesAndOpaqueDirectoriesAreListed) {
  fs::create_directories(upper_ + "/d/sub");
  WriteFile(upper_ + "/d/gone", "");
  ASSERT_EQ(::setxattr((upper_ + "/d/gone").c_str(), "user.overlay.whiteout", "", 0, 0), 0);
  ASSERT_EQ(::setxattr((upper_ + "/d/sub").c_str(), "user.overlay.opaque", "y", 1, 0), 0);
  ASSERT_EQ(::setxattr((upper_ + "/d").c_str(), "user.overlay.opaque", "x", 1, 0), 0);
  ASSERT_OK_AND_ASSIGN(const FilesReport report, Save());
  EXPECT_EQ(report.opaque, 1U);
  EXPECT_EQ(ReadFile(images_ + "/deleted-files.json"), R"(["d/gone"])");
  EXPECT_EQ(ReadFile(images_ + "/opaque-directories.json"), R"(["d/sub"])");
  ASSERT_OK_AND_ASSIGN(const auto entries,
                       ListFiles(OpenDirectory(images_).get(), WaitLimit::Forever()));
  for (const FileEntry& entry : entries) {
    EXPECT_THAT(entry.xattrs, IsEmpty()) << entry.path;
  }
}

TEST_F(SaveFilesTest, AnOverlayThatKeepsFilesElsewhereIsRefusedByName) {
  fs::create_directory(upper_ + "/renamed");
  ASSERT_EQ(::setxattr((upper_ + "/renamed").c_str(), "user.overlay.redirect", "/x", 2, 0), 0);
  const auto saved = Save();
  EXPECT_CODE(Code::kUnsupported, saved);
  EXPECT_THAT(std::string(saved.status().message()), HasSubstr("/renamed"));
  EXPECT_THAT(std::string(saved.status().message()), HasSubstr("redirect_dir=off"));
}

TEST_F(SaveFilesTest, WhatIsLeftOutIsNotSavedAndItsDeletionsAreNotListed) {
  fs::create_directories(upper_ + "/proc");
  fs::create_directories(upper_ + "/volume/x");
  fs::create_directories(upper_ + "/lib/__pycache__");
  WriteFile(upper_ + "/lib/__pycache__/a.pyc", "x");
  WriteFile(upper_ + "/lib/a.py", "x");
  Whiteout("volume/x/gone");
  ASSERT_OK_AND_ASSIGN(const FilesReport report,
                       Save(LeftOut({"/proc", "*/__pycache__"}, {"/volume"})));
  EXPECT_THAT(SavedPaths(), UnorderedElementsAre("lib", "lib/a.py"));
  EXPECT_EQ(report.deleted, 0U);
}

TEST_F(SaveFilesTest, SocketsAreLeftToWhoeverIsBoundToThem) {
  const UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  const std::string path = upper_ + "/socket";
  ASSERT_LT(path.size(), sizeof(address.sun_path));
  path.copy(address.sun_path, path.size());
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  ASSERT_OK_AND_ASSIGN(const FilesReport report, Save());
  EXPECT_EQ(report.sockets, 1U);
  EXPECT_THAT(SavedPaths(), IsEmpty());
}

// W4: memory and files that do not agree are noticed.
TEST_F(SaveFilesTest, W4AFileThatChangesMeanwhileIsAnError) {
  WriteFile(upper_ + "/log", std::string(32 << 20, 'x'));
  std::atomic<bool> over = false;
  std::latch begun(1);
  std::jthread writer([&] {
    const UniqueFd log(::open((upper_ + "/log").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
    while (!over) {
      ASSERT_EQ(::write(log.get(), "more", 4), 4);
      begun.count_down(begun.try_wait() ? 0 : 1);
    }
  });
  begun.wait();
  const auto saved = Save();
  over = true;
  EXPECT_CODE(Code::kConflict, saved);
  EXPECT_THAT(std::string(saved.status().message()), HasSubstr("/log"));
}

// W5, A79: an archive that cannot be written is an error, and nothing of it stays.
TEST_F(SaveFilesTest, A79W5AFullDiskIsAnErrorThatLeavesNothing) {
  WriteFile(upper_ + "/f", std::string(64 << 10, 'x'));
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{.rlim_cur = 4096, .rlim_max = before.rlim_max};
  auto* const handler = ::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto saved = Save();
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  ::signal(SIGXFSZ, handler);
  EXPECT_FALSE(saved.ok());
  EXPECT_THAT(std::string(saved.status().message()), HasSubstr("rootfs-diff.tar"));
  EXPECT_TRUE(fs::is_empty(images_));
}

TEST_F(SaveFilesTest, AnErrorOfTheWritingThreadIsNotLost) {
  WriteFile(upper_ + "/f", std::string(48 << 20, 'x'));
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{.rlim_cur = 5 << 20, .rlim_max = before.rlim_max};
  auto* const handler = ::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto saved = Save();
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  ::signal(SIGXFSZ, handler);
  EXPECT_FALSE(saved.ok());
  EXPECT_TRUE(fs::is_empty(images_));
}

TEST_F(SaveFilesTest, AnArchiveThatIsThereIsNotTouched) {
  WriteFile(images_ + "/rootfs-diff.tar", "somebody's");
  EXPECT_CODE(Code::kAlreadyExists, Save());
  EXPECT_EQ(ReadFile(images_ + "/rootfs-diff.tar"), "somebody's");
}

TEST_F(SaveFilesTest, StopsWhenToldTo) {
  std::stop_source source;
  source.request_stop();
  EXPECT_CODE(Code::kCancelled, Save({}, {.stop = source.get_token()}));
  EXPECT_TRUE(fs::is_empty(images_));
}

}  // namespace
}  // namespace hearth::agent
