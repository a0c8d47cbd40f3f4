#include "agent/host/control_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"

namespace hearth::agent {
namespace {

namespace fs = std::filesystem;

// A container's root, and what lies outside of it.
class ControlDirectoryTest : public testing::Test {
 protected:
  ControlDirectoryTest() {
    fs::create_directories(root_ + "/snapshot-control");
    fs::create_directories(outside_);
    std::ofstream(outside_ + "/victim") << "precious";
  }
  std::string Victim() const {
    std::string text;
    std::ifstream(outside_ + "/victim") >> text;
    return text;
  }

  TempDirectory directory_;
  std::string root_ = directory_ / "root";
  std::string outside_ = directory_ / "outside";
  std::string control_ = root_ + "/snapshot-control";
};

// A80: all or nothing, over what is there; removing what is not there is fine.
TEST_F(ControlDirectoryTest, WritesReadsAndRemoves) {
  ASSERT_OK_AND_ASSIGN(auto control, ControlDirectory::Open(root_, "/snapshot-control"));
  ASSERT_OK(control.Write("restore-complete", "done\n"));
  EXPECT_EQ(*control.Read("restore-complete", 100), "done\n");
  EXPECT_TRUE(*control.Has("restore-complete"));
  EXPECT_EQ(fs::status(control_ + "/restore-complete").permissions(), fs::perms(0644));
  EXPECT_EQ(std::distance(fs::directory_iterator(control_), {}), 1) << "nothing else is left";
  ASSERT_OK(control.Write("restore-complete", "again\n"));
  EXPECT_EQ(*control.Read("restore-complete", 100), "again\n");
  ASSERT_OK(control.Remove("restore-complete"));
  ASSERT_OK(control.Remove("restore-complete"));
  EXPECT_FALSE(*control.Has("restore-complete"));
}

// A80, S1: a missing folder is an error, and so is one that leads elsewhere.
TEST_F(ControlDirectoryTest, ALinkInPlaceOfTheFolderIsNotFollowed) {
  fs::remove(control_);
  fs::create_directory_symlink(outside_, control_);
  EXPECT_CODE(Code::kPermissionDenied, ControlDirectory::Open(root_, "/snapshot-control"));
  fs::remove(control_);
  EXPECT_CODE(Code::kNotFound, ControlDirectory::Open(root_, "/snapshot-control"));
  EXPECT_CODE(Code::kNotFound, ControlDirectory::Open(root_ + "/no", "/snapshot-control"));
}

TEST_F(ControlDirectoryTest, NobodyClimbsOutOfTheRoot) {
  EXPECT_CODE(Code::kNotFound, ControlDirectory::Open(root_, "/../outside"));
}

// S1: what a workload plants under our names.
TEST_F(ControlDirectoryTest, LinksUnderOurNamesAreReplacedNotWrittenThrough) {
  ASSERT_OK_AND_ASSIGN(auto control, ControlDirectory::Open(root_, "/snapshot-control"));
  fs::create_symlink(outside_ + "/victim", control_ + "/snapshot-complete");
  fs::create_symlink(outside_ + "/victim", control_ + "/.snapshot-complete.tmp");
  EXPECT_CODE(Code::kPermissionDenied, control.Read("snapshot-complete", 100));
  EXPECT_FALSE(*control.Has("snapshot-complete"));
  ASSERT_OK(control.Write("snapshot-complete", "done\n"));
  EXPECT_EQ(Victim(), "precious");
  EXPECT_FALSE(fs::is_symlink(control_ + "/snapshot-complete"));
  EXPECT_EQ(*control.Read("snapshot-complete", 100), "done\n");
}

TEST_F(ControlDirectoryTest, KeepsTheFolderThatItFound) {
  ASSERT_OK_AND_ASSIGN(auto control, ControlDirectory::Open(root_, "/snapshot-control"));
  fs::rename(control_, root_ + "/moved");
  fs::create_directory_symlink(outside_, control_);
  ASSERT_OK(control.Write("restore-complete", "done\n"));
  EXPECT_TRUE(fs::exists(root_ + "/moved/restore-complete"));
  EXPECT_FALSE(fs::exists(outside_ + "/restore-complete"));
}

TEST_F(ControlDirectoryTest, WhatIsNoFileIsNotRead) {
  ASSERT_OK_AND_ASSIGN(auto control, ControlDirectory::Open(root_, "/snapshot-control"));
  ASSERT_EQ(::mkfifo((control_ + "/pipe").c_str(), 0600), 0);
  EXPECT_CODE(Code::kPermissionDenied, control.Read("pipe", 100));
  fs::create_directory(control_ + "/folder");
  EXPECT_CODE(Code::kPermissionDenied, control.Read("folder", 100));
  std::ofstream(control_ + "/large") << std::string(101, 'x');
  EXPECT_CODE(Code::kExhausted, control.Read("large", 100));
  EXPECT_CODE(Code::kNotFound, control.Read("absent", 100));
}

TEST_F(ControlDirectoryTest, AFolderInTheWayIsToldAndNothingIsLeft) {
  ASSERT_OK_AND_ASSIGN(auto control, ControlDirectory::Open(root_, "/snapshot-control"));
  fs::create_directories(control_ + "/restore-complete/full");
  EXPECT_FALSE(control.Write("restore-complete", "done\n").ok());
  EXPECT_EQ(std::distance(fs::directory_iterator(control_), {}), 1);
}

TEST_F(ControlDirectoryTest, SeveralMayWriteTheSameFile) {
  ASSERT_OK_AND_ASSIGN(auto control, ControlDirectory::Open(root_, "/snapshot-control"));
  std::vector<std::jthread> writers;
  for (int i = 0; i < 4; ++i) {
    writers.emplace_back([&] {
      for (int round = 0; round < 20; ++round) {
        EXPECT_OK(control.Write("snapshot-complete", "done\n"));
      }
    });
  }
  writers.clear();
  EXPECT_EQ(*control.Read("snapshot-complete", 100), "done\n");
  EXPECT_EQ(std::distance(fs::directory_iterator(control_), {}), 1);
}

TEST_F(ControlDirectoryTest, NamesAreNames) {
  ASSERT_OK_AND_ASSIGN(auto control, ControlDirectory::Open(root_, "/snapshot-control"));
  for (const char* const name : {"", ".", "..", "a/b", "../outside/victim"}) {
    EXPECT_CODE(Code::kInvalid, control.Write(name, "x"));
    EXPECT_CODE(Code::kInvalid, control.Read(name, 10));
    EXPECT_CODE(Code::kInvalid, control.Remove(name));
  }
}

}  // namespace
}  // namespace hearth::agent
