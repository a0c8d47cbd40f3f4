#include "base/file_system.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"

namespace hearth {
namespace {

using testing::ElementsAre;

class RealFileSystemTest : public testing::Test {
 protected:
  TempDirectory directory_;
  FileSystem& files_ = RealFileSystem();
};

TEST_F(RealFileSystemTest, ReadsBackWhatWasWritten) {
  const std::string bytes = "a\0b" + std::string(200'000, 'x');
  ASSERT_OK(files_.Write(directory_ / "f", bytes, 0644));
  ASSERT_OK_AND_ASSIGN(const std::string read, files_.Read(directory_ / "f", UINT64_MAX));
  EXPECT_EQ(read, bytes);
  ASSERT_OK(files_.Write(directory_ / "f", "short", 0644));
  EXPECT_EQ(*files_.Read(directory_ / "f", 100), "short");
}

TEST_F(RealFileSystemTest, ReadKeepsToItsLimit) {
  ASSERT_OK(files_.Write(directory_ / "f", "12345", 0644));
  EXPECT_EQ(*files_.Read(directory_ / "f", 5), "12345");
  EXPECT_CODE(Code::kExhausted, files_.Read(directory_ / "f", 4));
  EXPECT_CODE(Code::kExhausted, files_.Read(directory_ / "f", 0));
}

TEST_F(RealFileSystemTest, ReadsFilesThatDoNotTellTheirSize) {
  ASSERT_OK_AND_ASSIGN(const std::string status, files_.Read("/proc/self/status", 1 << 20));
  EXPECT_NE(status.find("Name:"), std::string::npos);
}

TEST_F(RealFileSystemTest, ErrorsCarryPathAndCause) {
  EXPECT_EQ(files_.Read(directory_ / "none", 1).status().message(),
            "read " + directory_ / "none" + ": No such file or directory");
  EXPECT_CODE(Code::kInvalid, files_.Read(directory_.path(), 1));
  EXPECT_CODE(Code::kNotFound, files_.Write(directory_ / "no/f", "", 0644));
  EXPECT_CODE(Code::kNotFound, files_.Sync(directory_ / "none"));
  EXPECT_CODE(Code::kNotFound, files_.Rename(directory_ / "none", directory_ / "b"));
  EXPECT_CODE(Code::kNotFound, files_.Remove(directory_ / "none"));
  EXPECT_CODE(Code::kNotFound, files_.Stat(directory_ / "none"));
  EXPECT_CODE(Code::kNotFound, files_.List(directory_ / "none"));
}

TEST_F(RealFileSystemTest, WriteGivesTheModeWhateverWasThere) {
  const mode_t old = ::umask(077);
  const Status made = files_.Write(directory_ / "f", "x", 0644);
  ::umask(old);
  ASSERT_OK(made);
  EXPECT_EQ(files_.Stat(directory_ / "f")->mode, 0644U);
  ASSERT_OK(files_.Write(directory_ / "f", "x", 0600));
  EXPECT_EQ(files_.Stat(directory_ / "f")->mode, 0600U);
}

TEST_F(RealFileSystemTest, SyncsFilesAndDirectories) {
  ASSERT_OK(files_.Write(directory_ / "f", "x", 0644));
  EXPECT_OK(files_.Sync(directory_ / "f"));
  EXPECT_OK(files_.Sync(directory_.path()));
}

TEST_F(RealFileSystemTest, RenameReplaces) {
  ASSERT_OK(files_.Write(directory_ / "a", "new", 0644));
  ASSERT_OK(files_.Write(directory_ / "b", "old", 0644));
  ASSERT_OK(files_.Rename(directory_ / "a", directory_ / "b"));
  EXPECT_EQ(*files_.Read(directory_ / "b", 10), "new");
  EXPECT_CODE(Code::kNotFound, files_.Stat(directory_ / "a"));
}

TEST_F(RealFileSystemTest, ExchangeSwapsTwoThatAreThere) {
  ASSERT_OK(files_.Write(directory_ / "a", "a", 0644));
  ASSERT_OK(files_.MakeDirectories(directory_ / "b", 0755));
  ASSERT_OK(files_.Exchange(directory_ / "a", directory_ / "b"));
  EXPECT_EQ(*files_.Read(directory_ / "b", 10), "a");
  EXPECT_TRUE(files_.Stat(directory_ / "a")->is_directory);
  EXPECT_CODE(Code::kNotFound, files_.Exchange(directory_ / "a", directory_ / "none"));
}

TEST_F(RealFileSystemTest, MakesAllMissingDirectoriesAndMindsThoseThere) {
  ASSERT_OK(files_.MakeDirectories(directory_ / "a/b/c", 0755));
  ASSERT_OK(files_.MakeDirectories(directory_ / "a/b/c/", 0755));
  EXPECT_TRUE(files_.Stat(directory_ / "a/b/c")->is_directory);
  ASSERT_OK(files_.Write(directory_ / "a/f", "", 0644));
  EXPECT_CODE(Code::kAlreadyExists, files_.MakeDirectories(directory_ / "a/f", 0755));
  EXPECT_FALSE(files_.MakeDirectories(directory_ / "a/f/g", 0755).ok());
}

TEST_F(RealFileSystemTest, RemoveTakesOneFileOrEmptyDirectory) {
  ASSERT_OK(files_.MakeDirectories(directory_ / "d/e", 0755));
  EXPECT_CODE(Code::kAlreadyExists, files_.Remove(directory_ / "d"));
  EXPECT_OK(files_.Remove(directory_ / "d/e"));
  EXPECT_OK(files_.Remove(directory_ / "d"));
}

TEST_F(RealFileSystemTest, RemoveTreeDoesNotFollowLinks) {
  ASSERT_OK(files_.MakeDirectories(directory_ / "outside", 0755));
  ASSERT_OK(files_.Write(directory_ / "outside/kept", "x", 0644));
  ASSERT_OK(files_.MakeDirectories(directory_ / "tree/below", 0755));
  ASSERT_EQ(::symlink((directory_ / "outside").c_str(), (directory_ / "tree/below/link").c_str()),
            0);
  ASSERT_EQ(::symlink((directory_ / "outside").c_str(), (directory_ / "link").c_str()), 0);
  EXPECT_OK(files_.RemoveTree(directory_ / "tree"));
  EXPECT_OK(files_.RemoveTree(directory_ / "link"));
  EXPECT_OK(files_.RemoveTree(directory_ / "absent"));
  EXPECT_THAT(*files_.List(directory_.path()), ElementsAre("outside"));
  EXPECT_THAT(*files_.List(directory_ / "outside"), ElementsAre("kept"));
}

TEST_F(RealFileSystemTest, StatTellsKindSizeAndTime) {
  ASSERT_OK(files_.Write(directory_ / "f", "12345", 0640));
  ASSERT_EQ(::symlink("f", (directory_ / "link").c_str()), 0);
  ASSERT_OK_AND_ASSIGN(const FileSystem::Info file, files_.Stat(directory_ / "f"));
  EXPECT_FALSE(file.is_directory);
  EXPECT_FALSE(file.is_link);
  EXPECT_EQ(file.size, 5U);
  EXPECT_EQ(file.mode, 0640U);
  EXPECT_LT(RealClock().WallNow() - file.modified, std::chrono::minutes(5));
  ASSERT_OK_AND_ASSIGN(const FileSystem::Info link, files_.Stat(directory_ / "link"));
  EXPECT_TRUE(link.is_link);
  EXPECT_EQ(link.size, 5U);
  EXPECT_TRUE(files_.Stat(directory_.path())->is_directory);
}

TEST_F(RealFileSystemTest, ListIsSorted) {
  for (const char* name : {"b", "a", ".c"}) {
    ASSERT_OK(files_.Write(directory_ / name, "", 0644));
  }
  EXPECT_THAT(*files_.List(directory_.path()), ElementsAre(".c", "a", "b"));
}

}  // namespace
}  // namespace hearth
