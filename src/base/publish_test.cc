#include "base/publish.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/testing/faulty_file_system.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"

namespace hearth {
namespace {

using testing::ElementsAre;

constexpr uint64_t kLimit = 1 << 20;

// The bytes at `path`, or "none".
std::string BytesAt(const std::string& path) {
  return RealFileSystem().Read(path, kLimit).value_or("none");
}

TEST(PublishFile, StagesSyncsRenamesAndSyncsTheDirectoryInThisOrder) {
  const TempDirectory directory;
  FaultyFileSystem files(RealFileSystem());
  const std::string path = directory / "f";
  ASSERT_OK(PublishFile(files, path, "new", 0600));
  const std::string staged = StagingName(path);
  EXPECT_THAT(files.trace(),
              ElementsAre("write " + staged, "sync " + staged, "rename " + staged + " " + path,
                          "sync " + directory.path()));
  EXPECT_EQ(BytesAt(path), "new");
  EXPECT_EQ(RealFileSystem().Stat(path)->mode, 0600U);
}

// Publishes "new" over `old` with a fault that `inject` sets up at step `n`, and checks what is
// left.
template <typename Inject>
void PublishWithFault(const std::string& old, Inject inject) {
  int steps = 1;
  for (int n = 0; n < steps; ++n) {
    SCOPED_TRACE("step " + std::to_string(n));
    const TempDirectory directory;
    const std::string path = directory / "f";
    if (old != "none") {
      ASSERT_OK(RealFileSystem().Write(path, old, 0644));
    }
    FaultyFileSystem files(RealFileSystem());
    inject(files, n);
    EXPECT_FALSE(PublishFile(files, path, "new").ok());
    EXPECT_THAT(BytesAt(path), testing::AnyOf(old, "new"));

    // Nothing that was left behind stands in the way of the next try.
    ASSERT_OK(PublishFile(RealFileSystem(), path, "newer"));
    EXPECT_EQ(BytesAt(path), "newer");
    EXPECT_THAT(*RealFileSystem().List(directory.path()), ElementsAre("f"));
    steps = 4;  // write, sync, rename, sync
  }
}

void Fail(FaultyFileSystem& files, int n) { files.FailAt(n, ExhaustedError("disk full")); }
void Kill(FaultyFileSystem& files, int n) { files.KillAt(n); }

TEST(PublishFile, FailureAtAnyStepLeavesOldOrNew) {
  PublishWithFault("old", Fail);
  PublishWithFault("none", Fail);
}

TEST(PublishFile, KillAtAnyStepLeavesOldOrNew) {
  PublishWithFault("old", Kill);
  PublishWithFault("none", Kill);
}

TEST(PublishFile, FailureRemovesWhatWasStaged) {
  const TempDirectory directory;
  FaultyFileSystem files(RealFileSystem());
  files.FailAt(1, ExhaustedError("disk full"));
  const Status status = PublishFile(files, directory / "f", "new");
  EXPECT_EQ(status.code(), Code::kExhausted);
  EXPECT_TRUE(status.message().starts_with("publish " + directory / "f" + ": "));
  EXPECT_TRUE(RealFileSystem().List(directory.path())->empty());
}

TEST(PublishFile, TornStagingFileOfACrashIsOverwritten) {
  const TempDirectory directory;
  const std::string path = directory / "f";
  ASSERT_OK(RealFileSystem().Write(StagingName(path), "half of someth", 0600));
  ASSERT_OK(PublishFile(RealFileSystem(), path, "new", 0644));
  EXPECT_EQ(BytesAt(path), "new");
  EXPECT_EQ(RealFileSystem().Stat(path)->mode, 0644U);
}

TEST(StagingName, LiesBesideItsFile) {
  EXPECT_EQ(StagingName("/a/b"), "/a/.b.staging");
  EXPECT_EQ(StagingName("/b"), "/.b.staging");
  EXPECT_EQ(StagingName("b"), "./.b.staging");
}

TEST(RemoveStale, RemovesLeftoversOnly) {
  const TempDirectory directory;
  const std::string path = directory / "f";
  ASSERT_OK(RealFileSystem().Write(path, "x", 0644));
  ASSERT_OK(RealFileSystem().Write(StagingName(path), "half", 0644));
  EXPECT_OK(RemoveStale(RealFileSystem(), path));
  EXPECT_OK(RemoveStale(RealFileSystem(), path));
  EXPECT_THAT(*RealFileSystem().List(directory.path()), ElementsAre("f"));
}

class PublishDirectoryTest : public testing::Test {
 protected:
  PublishDirectoryTest() {
    EXPECT_OK(RealFileSystem().MakeDirectories(staged_ + "/sub", 0755));
    EXPECT_OK(RealFileSystem().Write(staged_ + "/a", "1", 0644));
    EXPECT_OK(RealFileSystem().Write(staged_ + "/sub/b", "2", 0644));
  }

  bool Complete(const std::string& path) const {
    return BytesAt(path + "/a") == "1" && BytesAt(path + "/sub/b") == "2";
  }

  TempDirectory directory_;
  std::string staged_ = directory_ / "staged";
  std::string path_ = directory_ / "final";
};

TEST_F(PublishDirectoryTest, SyncsEverythingBelowBeforeTheRename) {
  FaultyFileSystem files(RealFileSystem());
  ASSERT_OK(PublishDirectory(files, staged_ + "/", path_ + "/"));
  EXPECT_TRUE(Complete(path_));
  EXPECT_CODE(Code::kNotFound, RealFileSystem().Stat(staged_));
  std::vector<std::string> changes;
  for (const std::string& step : files.trace()) {
    if (!step.starts_with("stat ") && !step.starts_with("list ")) {
      changes.push_back(step);
    }
  }
  EXPECT_THAT(changes, ElementsAre("sync " + staged_ + "/a", "sync " + staged_ + "/sub/b",
                                   "sync " + staged_ + "/sub", "sync " + staged_,
                                   "rename " + staged_ + " " + path_, "sync " + directory_.path()));
}

TEST_F(PublishDirectoryTest, SyncsBothParentsWhenTheyDiffer) {
  ASSERT_OK(RealFileSystem().MakeDirectories(directory_ / "store", 0755));
  FaultyFileSystem files(RealFileSystem());
  ASSERT_OK(PublishDirectory(files, staged_, directory_ / "store/final"));
  const std::vector<std::string> trace = files.trace();
  ASSERT_GE(trace.size(), 2U);
  EXPECT_EQ(trace[trace.size() - 2], "sync " + directory_ / "store");
  EXPECT_EQ(trace.back(), "sync " + directory_.path());
}

TEST_F(PublishDirectoryTest, RefusesWhatIsThereAndLeavesTheStaged) {
  ASSERT_OK(RealFileSystem().MakeDirectories(path_, 0755));  // empty: rename alone would replace it
  EXPECT_CODE(Code::kAlreadyExists, PublishDirectory(RealFileSystem(), staged_, path_));
  EXPECT_TRUE(Complete(staged_));
}

TEST_F(PublishDirectoryTest, LinksAreNotFollowed) {
  ASSERT_EQ(::symlink("nowhere", (staged_ + "/dangling").c_str()), 0);
  ASSERT_EQ(::symlink(".", (staged_ + "/sub/circle").c_str()), 0);
  EXPECT_OK(PublishDirectory(RealFileSystem(), staged_, path_));
  EXPECT_TRUE(Complete(path_));
}

TEST_F(PublishDirectoryTest, FaultAtAnyStepLeavesItWholeAtOneOfTheTwoPlaces) {
  FaultyFileSystem counting(RealFileSystem());
  ASSERT_OK(PublishDirectory(counting, staged_, path_));
  for (int n = 0; n < 2 * counting.steps(); ++n) {
    SCOPED_TRACE("step " + std::to_string(n / 2));
    ASSERT_OK(RealFileSystem().Rename(path_, staged_));
    FaultyFileSystem files(RealFileSystem());
    n % 2 == 0 ? Fail(files, n / 2) : Kill(files, n / 2);
    EXPECT_FALSE(PublishDirectory(files, staged_, path_).ok());
    EXPECT_NE(Complete(staged_), Complete(path_));
    if (Complete(staged_)) {
      ASSERT_OK(PublishDirectory(RealFileSystem(), staged_, path_));
    }
  }
}

}  // namespace
}  // namespace hearth
