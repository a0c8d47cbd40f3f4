#include "gms/saver/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "base/file_system.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "gms/saver/testing/memory_service.h"
#include "gms/storage/checkpoint.h"

namespace hearth::gms::saver {
namespace {

using testing::HasSubstr;

class SaverProgramTest : public testing::Test {
 protected:
  int Run(std::vector<std::string> arguments, bool with_defaults = true) {
    if (with_defaults) {
      arguments.insert(arguments.begin(),
                       {"--checkpoint-dir", temp_ / "c", "--socket-dir", service_.directory()});
    }
    arguments.insert(arguments.begin(), "gms-saver");
    std::vector<const char*> argv;
    for (const std::string& argument : arguments) {
      argv.push_back(argument.c_str());
    }
    out_.str("");
    err_.str("");
    return RunSaver(static_cast<int>(argv.size()), argv.data(),
                    {out_, err_, disk::ProgressStyle::kJsonLines}, stop_.get_token());
  }

  TempDirectory temp_;
  MemoryService service_;
  std::ostringstream out_;
  std::ostringstream err_;
  std::stop_source stop_;
};

TEST_F(SaverProgramTest, SavesAndSaysSo) {
  ASSERT_OK(service_.Commit(0, Weights::Sample(1)));
  ASSERT_EQ(Run({"--pod-uid", "pod-7"}), 0) << err_.str();
  EXPECT_EQ(*RealFileSystem().Read(temp_ / "c/gms-save-complete-pod-7", 10), "ok\n");
  EXPECT_THAT(out_.str(), HasSubstr(R"({"phase":"save","done_bytes":1441792,)"));
  EXPECT_THAT(err_.str(), HasSubstr("saved devices=1 bytes=1441792"));
  EXPECT_TRUE(std::filesystem::exists(temp_ / "c/device-0/manifest.json"));
}

TEST_F(SaverProgramTest, DevicesThatAreToBeThereAndAreNotAreNotLeftOut) {
  ASSERT_OK(service_.Commit(0, Weights::Sample(1)));
  EXPECT_EQ(Run({"--device-count", "2", "--save-lock-timeout-ms", "1"}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("device 1 is expected"));
  EXPECT_EQ(Run({"--device-count", "1"}), 0) << err_.str();
}

TEST_F(SaverProgramTest, WhatIsSavedOfADeviceWhoseServerIsNotThereStays) {
  MemoryService both(2);
  ASSERT_OK(both.Commit(0, Weights::Sample(1)));
  ASSERT_OK(both.Commit(1, Weights::Sample(2)));
  ASSERT_EQ(Run({"--checkpoint-dir", temp_ / "c", "--socket-dir", both.directory()}, false), 0)
      << err_.str();
  ASSERT_OK(service_.Commit(0, Weights::Sample(3)));
  EXPECT_EQ(Run({"--save-lock-timeout-ms", "1"}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("device 1 is expected"));
  EXPECT_THAT(err_.str(), HasSubstr("--device-count"));
  EXPECT_EQ(*storage::FindDevices(temp_ / "c"), (std::set<int64_t>{0, 1}));
  EXPECT_EQ(Run({"--device-count", "1"}), 0) << err_.str();
  EXPECT_EQ(*storage::FindDevices(temp_ / "c"), std::set<int64_t>{0});
}

TEST_F(SaverProgramTest, AFailureClearsTheOldCompletionFileAndIsTold) {
  ASSERT_OK(RealFileSystem().MakeDirectories(temp_ / "c", 0755));
  ASSERT_OK(RealFileSystem().Write(temp_ / "c/gms-save-complete", "ok\n", 0644));
  EXPECT_EQ(Run({"--save-lock-timeout-ms", "1"}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("--save-lock-timeout-ms"));
  EXPECT_FALSE(std::filesystem::exists(temp_ / "c/gms-save-complete"));
}

TEST_F(SaverProgramTest, AStopCancels) {
  stop_.request_stop();
  EXPECT_EQ(Run({}), 1);
  EXPECT_FALSE(std::filesystem::exists(temp_ / "c/device-0"));
}

TEST_F(SaverProgramTest, TakesTheFlagsOfExistingDeployments) {
  ASSERT_OK(service_.Commit(0, Weights::Sample(1)));
  EXPECT_EQ(Run({"--max-workers", "8", "--save-lock-timeout-ms", "1800000", "--shard-size-bytes",
                 "4294967296", "--sharded-ssd-roots", "", "--device", "0", "--use-v1"}),
            0)
      << err_.str();
}

TEST_F(SaverProgramTest, UsageErrorsAreTwo) {
  EXPECT_EQ(Run({}, /*with_defaults=*/false), 2);
  EXPECT_EQ(Run({"--max-workers", "0"}), 2);
  EXPECT_EQ(Run({"--max-worker", "3"}), 2);
  EXPECT_EQ(Run({"--help"}), 0);
  EXPECT_THAT(out_.str(), HasSubstr("Exit codes:"));
}

}  // namespace
}  // namespace hearth::gms::saver
