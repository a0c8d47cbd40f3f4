#include "gms/storage/publication.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>

#include <filesystem>

#include "base/testing/faulty_file_system.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "gms/storage/internal/tidy.h"
#include "gms/storage/testing/sample_weights.h"

namespace hearth::gms::storage {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using testing::UnorderedElementsAre;

class PublicationTest : public testing::Test {
 protected:
  Status Save(SampleWeights& weights) {
    return SaveSample(RealFileSystem(), directory_, {{0, &weights}});
  }
  std::vector<std::string> Names() { return *RealFileSystem().List(directory_); }

  TempDirectory temp_;
  std::string directory_ = temp_ / "checkpoint";
  SampleWeights old_{1};
  SampleWeights new_{2, {3, 1, 7, 2}};
};

TEST_F(PublicationTest, WhatWasSavedIsFoundAndNothingElseIsLeft) {
  ASSERT_OK(Save(old_));
  EXPECT_OK(CheckSample(directory_, 0, old_));
  EXPECT_THAT(Names(), UnorderedElementsAre("device-0", kCheckpointName, kLockName));
  EXPECT_THAT(*RealFileSystem().List(directory_ + "/device-0"),
              UnorderedElementsAre(kManifestName, kMetadataName, kChunkTableName, kShardFolder));
}

TEST_F(PublicationTest, ANewSaveReplacesTheOldOne) {
  ASSERT_OK(Save(old_));
  ASSERT_OK(Save(new_));
  EXPECT_OK(CheckSample(directory_, 0, new_));
  EXPECT_THAT(Names(), UnorderedElementsAre("device-0", kCheckpointName, kLockName));
}

TEST_F(PublicationTest, AReaderKeepsTheArtifactThatItOpened) {
  ASSERT_OK(Save(old_));
  ASSERT_OK_AND_ASSIGN(const auto reader, OpenDevice(directory_, 0, {}));
  ASSERT_OK(Save(new_));
  TransferEngine engine(SmallEngine());
  ASSERT_OK_AND_ASSIGN(const auto bytes, LoadSample(*reader, engine));
  EXPECT_EQ(bytes[0], old_.Bytes(0));
}

// W-20, W-24: killed before any step, the checkpoint is the old one or the new one, on all devices
// the same, and the next save goes through and leaves nothing behind.
TEST_F(PublicationTest, KilledAtAnyStepLeavesOldOrNewNeverNeither) {
  FaultyFileSystem counting(RealFileSystem());
  SampleWeights other_old{11};
  SampleWeights other_new{12};
  {
    const TempDirectory scratch;
    ASSERT_OK(SaveSample(RealFileSystem(), scratch / "c", {{0, &old_}, {1, &other_old}}));
    ASSERT_OK(SaveSample(counting, scratch / "c", {{0, &new_}, {1, &other_new}}));
  }
  ASSERT_GT(counting.steps(), 20);
  int olds = 0;
  int news = 0;
  const std::string& directory = directory_;
  ASSERT_OK(SaveSample(RealFileSystem(), directory, {{0, &old_}, {1, &other_old}}));
  for (int step = 0; step < counting.steps(); ++step) {
    FaultyFileSystem killed(RealFileSystem());
    killed.KillAt(step);
    EXPECT_FALSE(SaveSample(killed, directory, {{0, &new_}, {1, &other_new}}).ok());
    const bool is_old = CheckSample(directory, 0, old_).ok();
    const bool is_new = CheckSample(directory, 0, new_).ok();
    EXPECT_NE(is_old, is_new) << "killed at " << killed.trace().at(static_cast<size_t>(step));
    EXPECT_EQ(CheckSample(directory, 1, other_old).ok(), is_old) << step;
    EXPECT_EQ(CheckSample(directory, 1, other_new).ok(), is_new) << step;
    olds += is_old ? 1 : 0;
    news += is_new ? 1 : 0;
    ASSERT_OK(SaveSample(RealFileSystem(), directory, {{0, &old_}, {1, &other_old}}));
    EXPECT_OK(CheckSample(directory, 0, old_));
    EXPECT_THAT(*RealFileSystem().List(directory),
                UnorderedElementsAre("device-0", "device-1", kCheckpointName, kLockName));
  }
  EXPECT_GT(olds, 0);
  EXPECT_GT(news, 0);
}

TEST_F(PublicationTest, AFirstSaveThatFailsAtAnyStepLeavesNothingToFind) {
  FaultyFileSystem counting(RealFileSystem());
  {
    const TempDirectory scratch;
    ASSERT_OK(SaveSample(counting, scratch / "c", {{0, &new_}}));
  }
  for (int step = 0; step < counting.steps(); ++step) {
    const TempDirectory scratch;
    FaultyFileSystem failing(RealFileSystem());
    failing.FailAt(step, Status::FromErrno(EIO, "the disk"));
    const Status saved = SaveSample(failing, scratch / "c", {{0, &new_}});
    const bool found = CheckSample(scratch / "c", 0, new_).ok();
    if (!found && !saved.ok() && RealFileSystem().Stat(scratch / "c").ok()) {
      const std::vector<std::string> names = *RealFileSystem().List(scratch / "c");
      for (const std::string& name : names) {
        EXPECT_THAT(name, Not(StartsWith(".device"))) << failing.trace().at(step);
      }
    }
    EXPECT_TRUE(found || !saved.ok()) << step;
  }
}

TEST_F(PublicationTest, StagingOfALivingSaverIsLeftAlone) {
  ASSERT_OK_AND_ASSIGN(
      auto living, Publication::Begin(RealFileSystem(),
                                      {.directory = directory_, .devices = {1}, .whole = false}));
  const std::string staging = living->staged(1).directory;
  ASSERT_OK(SaveSample(RealFileSystem(), directory_, {{0, &old_}}, {.whole = false}));
  EXPECT_OK(RealFileSystem().Stat(staging));
  living.reset();
  EXPECT_CODE(Code::kNotFound, RealFileSystem().Stat(staging));
}

TEST_F(PublicationTest, DevicesSavedOneByOneComeTogether) {
  ASSERT_OK(SaveSample(RealFileSystem(), directory_, {{0, &old_}}, {.whole = false}));
  ASSERT_OK(SaveSample(RealFileSystem(), directory_, {{1, &new_}}, {.whole = false}));
  EXPECT_OK(CheckSample(directory_, 0, old_));
  EXPECT_OK(CheckSample(directory_, 1, new_));
  EXPECT_EQ(*FindDevices(directory_), (std::set<int64_t>{0, 1}));
}

TEST_F(PublicationTest, AWholeSaveDropsDevicesThatAreNoMore) {
  ASSERT_OK(SaveSample(RealFileSystem(), directory_, {{0, &old_}, {1, &new_}}));
  ASSERT_OK(SaveSample(RealFileSystem(), directory_, {{0, &new_}}));
  EXPECT_THAT(Names(), Not(Contains("device-1")));
  EXPECT_EQ(*FindDevices(directory_), std::set<int64_t>{0});
}

TEST_F(PublicationTest, AnArtifactOfAnotherMakerIsReplaced) {
  ASSERT_OK(RealFileSystem().MakeDirectories(directory_ + "/device-0/shards", 0755));
  ASSERT_OK(RealFileSystem().Write(directory_ + "/device-0/manifest.json", "{}", 0644));
  ASSERT_OK(Save(new_));
  EXPECT_OK(CheckSample(directory_, 0, new_));
}

// W-26: what the record does not list is not part of the checkpoint.
TEST_F(PublicationTest, AnArtifactThatTheRecordDoesNotMeanIsRefused) {
  ASSERT_OK(Save(old_));
  const TempDirectory elsewhere;
  ASSERT_OK(SaveSample(RealFileSystem(), elsewhere.path(), {{0, &new_}}));
  ASSERT_OK(RealFileSystem().RemoveTree(directory_ + "/device-0"));
  ASSERT_OK(RealFileSystem().Rename(elsewhere / "device-0", directory_ + "/device-0"));
  EXPECT_CODE(Code::kDataLoss, OpenDevice(directory_, 0, {}));
}

TEST_F(PublicationTest, ShardsGoToTheRootsInTurnAndOldOnesGo) {
  const std::vector<std::string> roots = {temp_ / "ssd0", temp_ / "ssd1"};
  const SampleOptions options{.roots = roots, .shard_bytes = SampleWeights::kGranularity};
  ASSERT_OK(SaveSample(RealFileSystem(), directory_, {{0, &old_}}, options));
  EXPECT_OK(CheckSample(directory_, 0, old_, {.roots = roots}));
  EXPECT_CODE(Code::kInvalid, OpenDevice(directory_, 0, {}));
  const auto first = *RealFileSystem().List(ShardHome(roots[0], directory_, 0));
  ASSERT_EQ(first.size(), 1U);
  ASSERT_OK(SaveSample(RealFileSystem(), directory_, {{0, &new_}}, options));
  EXPECT_OK(CheckSample(directory_, 0, new_, {.roots = roots}));
  const auto second = *RealFileSystem().List(ShardHome(roots[0], directory_, 0));
  ASSERT_EQ(second.size(), 1U);
  EXPECT_NE(first, second);
}

TEST_F(PublicationTest, ShardsOfDevicesThatAreNoMoreGoFromTheRoots) {
  const SampleOptions options{.roots = {temp_ / "ssd"}};
  const std::string home = ShardHome(options.roots[0], directory_, 1);
  ASSERT_OK(SaveSample(RealFileSystem(), directory_, {{0, &old_}, {1, &new_}}, options));
  ASSERT_EQ(RealFileSystem().List(home)->size(), 1U);
  ASSERT_OK(SaveSample(RealFileSystem(), directory_, {{0, &new_}}, options));
  EXPECT_EQ(RealFileSystem().List(home)->size(), 0U);
  EXPECT_OK(CheckSample(directory_, 0, new_, {.roots = options.roots}));
}

// The same root, by another name than the other device's manifest has for it.
TEST_F(PublicationTest, ARootSpelledOtherwiseKeepsWhatItsArtifactsUse) {
  const std::string root = temp_ / "ssd";
  const std::string link = temp_ / "link";
  ASSERT_OK(RealFileSystem().MakeDirectories(root, 0755));
  ASSERT_EQ(::symlink(root.c_str(), link.c_str()), 0);
  ASSERT_OK(SaveSample(RealFileSystem(), directory_, {{0, &old_}, {1, &old_}}, {.roots = {root}}));
  ASSERT_OK(
      SaveSample(RealFileSystem(), directory_, {{0, &new_}}, {.roots = {link}, .whole = false}));
  EXPECT_OK(CheckSample(directory_, 1, old_, {.roots = {root}}));
  EXPECT_EQ(RealFileSystem().List(ShardHome(root, directory_, 0))->size(), 1U);
}

TEST_F(PublicationTest, ShardsOfAnotherCheckpointWithTheSameSuffixAreLeftAlone) {
  const SampleOptions options{.roots = {temp_ / "ssd"}};
  const std::string one = temp_ / "a/m/versions/1";
  const std::string other = temp_ / "b/m/versions/1";
  ASSERT_OK(SaveSample(RealFileSystem(), one, {{0, &old_}, {1, &old_}}, options));
  ASSERT_OK(SaveSample(RealFileSystem(), other, {{0, &new_}}, options));
  EXPECT_OK(CheckSample(one, 0, old_, {.roots = options.roots}));
  EXPECT_OK(CheckSample(one, 1, old_, {.roots = options.roots}));
  ASSERT_OK(SaveSample(RealFileSystem(), other, {{0, &new_}}, options));
  EXPECT_EQ(RealFileSystem().List(ShardHome(options.roots[0], one, 0))->size(), 2U);
}

// Two pods on one disk, each of which calls its own directory the same.
TEST_F(PublicationTest, ShardsOfAnotherCheckpointAtTheSamePathAreLeftAlone) {
  const SampleOptions options{.roots = {temp_ / "ssd"}};
  ASSERT_OK(SaveSample(RealFileSystem(), directory_, {{0, &old_}}, options));
  const std::string aside = temp_ / "aside";
  ASSERT_OK(RealFileSystem().Rename(directory_, aside));
  ASSERT_OK(SaveSample(RealFileSystem(), directory_, {{0, &new_}}, options));
  EXPECT_OK(CheckSample(aside, 0, old_, {.roots = options.roots}));
}

// A copy names the same shards as what it is a copy of.
TEST_F(PublicationTest, ASaveToACopyKeepsTheShardsOfWhatWasCopied) {
  const SampleOptions options{.roots = {temp_ / "ssd"}};
  const std::string one = temp_ / "a/m/versions/1";
  const std::string copy = temp_ / "b/m/versions/1";
  ASSERT_OK(SaveSample(RealFileSystem(), one, {{0, &old_}}, options));
  ASSERT_OK(RealFileSystem().MakeDirectories(temp_ / "b/m/versions", 0755));
  std::filesystem::copy(one, copy, std::filesystem::copy_options::recursive);
  ASSERT_OK(SaveSample(RealFileSystem(), copy, {{0, &new_}}, options));
  EXPECT_OK(CheckSample(one, 0, old_, {.roots = options.roots}));
  EXPECT_OK(CheckSample(copy, 0, new_, {.roots = options.roots}));
}

// Killed at every step, with shards on other disks.
TEST_F(PublicationTest, RootsKeepOldOrNewToo) {
  const std::vector<std::string> roots = {temp_ / "ssd"};
  FaultyFileSystem counting(RealFileSystem());
  const SampleOptions options{.roots = roots};
  ASSERT_OK(SaveSample(RealFileSystem(), directory_, {{0, &old_}}, options));
  ASSERT_OK(SaveSample(counting, directory_, {{0, &new_}}, options));
  for (int step = 0; step < counting.steps(); ++step) {
    ASSERT_OK(SaveSample(RealFileSystem(), directory_, {{0, &old_}}, options));
    FaultyFileSystem killed(RealFileSystem());
    killed.KillAt(step);
    EXPECT_FALSE(SaveSample(killed, directory_, {{0, &new_}}, options).ok());
    EXPECT_NE(CheckSample(directory_, 0, old_, {.roots = roots}).ok(),
              CheckSample(directory_, 0, new_, {.roots = roots}).ok())
        << killed.trace().at(static_cast<size_t>(step));
  }
  ASSERT_OK(SaveSample(RealFileSystem(), directory_, {{0, &old_}}, options));
  EXPECT_EQ(RealFileSystem().List(ShardHome(roots[0], directory_, 0))->size(), 1U);
}

TEST_F(PublicationTest, AFullDiskIsToldAndLeavesNothing) {
  const std::string disk = temp_ / "disk";
  ASSERT_OK(RealFileSystem().MakeDirectories(disk, 0755));
  if (::mount("none", disk.c_str(), "tmpfs", 0, "size=1m") != 0) {
    GTEST_SKIP() << "a small disk to fill needs the right to mount";
  }
  const Status saved = SaveSample(RealFileSystem(), disk + "/c", {{0, &old_}});
  EXPECT_CODE(Code::kExhausted, saved);
  EXPECT_THAT(std::string(saved.message()), HasSubstr("shard_0001.bin: No space left"));
  EXPECT_THAT(*RealFileSystem().List(disk + "/c"), UnorderedElementsAre(kLockName));
  EXPECT_EQ(::umount(disk.c_str()), 0);
}

}  // namespace
}  // namespace hearth::gms::storage
