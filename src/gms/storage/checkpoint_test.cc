#include "gms/storage/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/file_system.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"

namespace hearth::gms::storage {
namespace {

using testing::HasSubstr;

TEST(DeviceDirectory, OnlyTheCanonicalNameCounts) {
  EXPECT_EQ(DeviceOfDirectory("device-0"), 0);
  EXPECT_EQ(DeviceOfDirectory("device-12"), 12);
  for (const char* name : {"device-", "device-02", "device--1", "device-1x", "device-+1",
                           "Device-1", ".device-1", "device-99999999999999999999"}) {
    EXPECT_EQ(DeviceOfDirectory(name), std::nullopt) << name;
  }
}

// D01: exactly matching directories; look-alikes and plain files are ignored.
TEST(FindDevices, IgnoresWhatOnlyLooksLikeADevice) {
  const TempDirectory temp;
  std::filesystem::create_directory(temp / "device-0");
  std::filesystem::create_directory(temp / "device-1");
  std::filesystem::create_directory(temp / "device-02");
  std::filesystem::create_directory(temp / "device-x");
  std::filesystem::create_directory_symlink(temp / "device-0", temp / "device-5");
  ASSERT_OK(RealFileSystem().Write(temp / "device-3", "", 0644));
  ASSERT_OK_AND_ASSIGN(const auto devices, FindDevices(temp.path()));
  EXPECT_EQ(devices, (std::set<int64_t>{0, 1}));
  EXPECT_OK(CheckDevices(devices, {0, 1}));
}

// D02: missing and extra devices are listed.
TEST(CheckDevices, ListsMissingAndExtra) {
  const Status status = CheckDevices({0, 5, 7}, {0, 1, 2});
  EXPECT_CODE(Code::kInvalid, status);
  EXPECT_THAT(std::string(status.message()), HasSubstr("missing=[1, 2] extra=[5, 7]"));
}

CheckpointRecord Sample() {
  return {.timestamp = 5,
          .devices = {{.device = 0,
                       .directory = "device-0",
                       .staged = ".device-0.1.attempt",
                       .manifest_root = disk::DigestOf("m"),
                       .layout_hash = "h",
                       .model = "x",
                       .bytes = 9}}};
}

TEST(CheckpointRecord, ComesBackAsItWasWritten) {
  ASSERT_OK_AND_ASSIGN(const auto record, ReadCheckpointRecord(WriteCheckpointRecord(Sample())));
  EXPECT_EQ(record.devices, Sample().devices);
  EXPECT_EQ(record.timestamp, 5);
}

TEST(CheckpointRecord, RefusesNamesThatLeadElsewhere) {
  for (const char* name : {"../x", "a/b", "", ".."}) {
    CheckpointRecord record = Sample();
    record.devices[0].staged = name;
    EXPECT_CODE(Code::kInvalid, ReadCheckpointRecord(WriteCheckpointRecord(record)));
  }
  CheckpointRecord record = Sample();
  record.devices[0].directory = "device-1";
  EXPECT_CODE(Code::kInvalid, ReadCheckpointRecord(WriteCheckpointRecord(record)));
  EXPECT_CODE(Code::kInvalid, ReadCheckpointRecord(WriteCheckpointRecord({})));
}

TEST(CheckpointRecord, RefusesEveryChangedByte) {
  const std::string text = WriteCheckpointRecord(Sample());
  for (size_t i = 0; i < text.size(); ++i) {
    std::string damaged = text;
    damaged[i] ^= 4;
    EXPECT_FALSE(ReadCheckpointRecord(damaged).ok()) << i;
  }
}

}  // namespace
}  // namespace hearth::gms::storage
