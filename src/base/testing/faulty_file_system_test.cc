#include "base/testing/faulty_file_system.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"

namespace hearth {
namespace {

using testing::ElementsAre;

TEST(FaultyFileSystem, PassesOnAndTraces) {
  const TempDirectory directory;
  FaultyFileSystem files(RealFileSystem());
  const std::string a = directory / "a";
  const std::string b = directory / "b";
  ASSERT_OK(files.Write(a, "x", 0644));
  ASSERT_OK(files.Rename(a, b));
  ASSERT_OK_AND_ASSIGN(const std::string bytes, files.Read(b, 10));
  EXPECT_EQ(bytes, "x");
  EXPECT_EQ(files.steps(), 3);
  EXPECT_THAT(files.trace(), ElementsAre("write " + a, "rename " + a + " " + b, "read " + b));
}

TEST(FaultyFileSystem, FailsOnceAtItsStep) {
  const TempDirectory directory;
  FaultyFileSystem files(RealFileSystem());
  files.FailAt(1, ExhaustedError("disk full"));
  EXPECT_OK(files.Write(directory / "a", "x", 0644));
  EXPECT_CODE(Code::kExhausted, files.Write(directory / "b", "x", 0644));
  EXPECT_CODE(Code::kNotFound, RealFileSystem().Stat(directory / "b"));
  EXPECT_OK(files.Write(directory / "b", "x", 0644));
}

TEST(FaultyFileSystem, NothingReachesTheDiskOnceKilled) {
  const TempDirectory directory;
  FaultyFileSystem files(RealFileSystem());
  files.KillAt(1);
  EXPECT_OK(files.Write(directory / "a", "x", 0644));
  EXPECT_CODE(Code::kUnavailable, files.Write(directory / "b", "x", 0644));
  EXPECT_CODE(Code::kUnavailable, files.Remove(directory / "a"));
  EXPECT_CODE(Code::kUnavailable, files.RemoveTree(directory / "a"));
  EXPECT_CODE(Code::kUnavailable, files.MakeDirectories(directory / "d", 0755));
  EXPECT_CODE(Code::kUnavailable, files.Sync(directory / "a"));
  EXPECT_CODE(Code::kUnavailable, files.Stat(directory / "a"));
  EXPECT_CODE(Code::kUnavailable, files.List(directory.path()));
  ASSERT_OK_AND_ASSIGN(const auto names, RealFileSystem().List(directory.path()));
  EXPECT_THAT(names, ElementsAre("a"));
}

}  // namespace
}  // namespace hearth
