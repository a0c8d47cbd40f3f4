#include "gms/storage_client/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "gms/saver/testing/memory_service.h"

namespace hearth::gms::storage_client {
namespace {

using saver::MemoryService;
using saver::Weights;
using testing::HasSubstr;

class StorageClientTest : public testing::Test {
 protected:
  int Run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "gms-storage-client");
    std::vector<const char*> argv;
    for (const std::string& argument : arguments) {
      argv.push_back(argument.c_str());
    }
    out_.str("");
    err_.str("");
    return RunStorageClient(static_cast<int>(argv.size()), argv.data(), {out_, err_},
                            std::stop_token());
  }
  int Save(const std::string& directory, MemoryService& from) {
    return Run({"save", "--output-dir", directory, "--socket-path", from.Socket(0), "--timeout-ms",
                "60000", "--shard-size-bytes", "4294967296", "--save-workers", "8", "-v"});
  }
  int Load(const std::string& directory, MemoryService& to, int device = 0) {
    return Run({"load", "--input-dir", directory, "--device", std::to_string(device),
                "--socket-path", to.Socket(device), "--timeout-ms", "60000", "--workers", "16",
                "--transfer-backend", "nixl", "--no-clear"});
  }

  TempDirectory temp_;
  MemoryService source_;
  MemoryService target_{2};
  Weights weights_ = Weights::Sample(5);
  std::ostringstream out_;
  std::ostringstream err_;
};

TEST_F(StorageClientTest, SavesAndLoadsOneDevice) {
  ASSERT_OK(source_.Commit(0, weights_));
  ASSERT_EQ(Save(temp_ / "saved", source_), 0) << err_.str();
  ASSERT_EQ(Load(temp_ / "saved", target_), 0) << err_.str();
  ASSERT_OK_AND_ASSIGN(const Weights loaded, target_.Read(0));
  EXPECT_TRUE(loaded == weights_);
}

TEST_F(StorageClientTest, ADevicesDirectoryIsAnEntryOfItsCheckpoint) {
  ASSERT_OK(source_.Commit(0, weights_));
  ASSERT_EQ(Save(temp_ / "saved/device-0/", source_), 0) << err_.str();
  EXPECT_TRUE(std::filesystem::exists(temp_ / "saved/gms-checkpoint.json"));
  EXPECT_TRUE(std::filesystem::exists(temp_ / "saved/device-0/manifest.json"));
  ASSERT_EQ(Load(temp_ / "saved/device-0", target_), 0) << err_.str();
  EXPECT_OK(target_.Read(0));
}

TEST_F(StorageClientTest, AnArtifactAnywhereIsLoadedIntoAnyDevice) {
  ASSERT_OK(source_.Commit(0, weights_));
  ASSERT_EQ(Save(temp_ / "saved", source_), 0) << err_.str();
  std::filesystem::rename(temp_ / "saved/device-0", temp_ / "by-hand");
  ASSERT_EQ(Load(temp_ / "by-hand", target_, 1), 0) << err_.str();
  ASSERT_OK_AND_ASSIGN(const Weights loaded, target_.Read(1));
  EXPECT_TRUE(loaded == weights_);
}

TEST_F(StorageClientTest, TheTimeLimitIsThatOfTheLease) {
  ASSERT_OK(source_.Commit(0, weights_));
  ASSERT_EQ(Save(temp_ / "saved", source_), 0) << err_.str();
  ASSERT_OK_AND_ASSIGN(const auto writer, target_.Connect(0, LeaseRequest::kRw));
  EXPECT_EQ(Run({"load", "--input-dir", temp_ / "saved", "--socket-path", target_.Socket(0),
                 "--timeout-ms", "1"}),
            1);
  EXPECT_THAT(err_.str(), HasSubstr("Timeout waiting for lock"));
  EXPECT_EQ(Run({"save", "--output-dir", temp_ / "other", "--socket-path", target_.Socket(0),
                 "--timeout-ms", "1"}),
            1);
  EXPECT_FALSE(std::filesystem::exists(temp_ / "other/device-0"));
}

TEST_F(StorageClientTest, WithoutASubcommandItFailsAndSaysHow) {
  EXPECT_EQ(Run({}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("gms-storage-client save"));
  EXPECT_EQ(Run({"store"}), 2);
  EXPECT_EQ(Run({"save"}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("output-dir"));
  EXPECT_EQ(Run({"--help"}), 0);
  EXPECT_EQ(Run({"load", "--help"}), 0);
  EXPECT_THAT(out_.str(), HasSubstr("--no-clear"));
}

}  // namespace
}  // namespace hearth::gms::storage_client
