#include "gms/saver/save.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/testing/faulty_file_system.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "gms/saver/testing/memory_service.h"
#include "gms/storage/checkpoint.h"
#include "gms/storage/manifest.h"

namespace hearth::gms::saver {
namespace {

using testing::AnyOf;
using testing::Each;
using testing::HasSubstr;
using testing::StartsWith;
using testing::UnorderedElementsAre;

class SaveTest : public testing::Test {
 protected:
  Result<SaveReport> Save(const WaitLimit& limit = WaitLimit::Forever()) {
    options_.directory = temp_ / "checkpoint";
    SaveGauge gauge;
    return SaveCheckpoint(service_.Devices(), options_, *files_, RealClock(), Logger::Null(), gauge,
                          limit);
  }

  TempDirectory temp_;
  MemoryService service_{2};
  SaveOptions options_{.lock_timeout = std::chrono::seconds(60)};
  FileSystem* files_ = &RealFileSystem();
};

TEST_F(SaveTest, SavesAllDevicesAsOneCheckpoint) {
  ASSERT_OK(service_.Commit(0, Weights::Sample(1)));
  ASSERT_OK(service_.Commit(1, Weights::Sample(2, {1})));
  options_.model = "tiny";
  ASSERT_OK_AND_ASSIGN(const SaveReport report, Save());
  EXPECT_EQ(report.bytes, 23 * MemoryService::kGranularity);
  EXPECT_FALSE(report.already_saved);
  // D04: each device has its own directory below the checkpoint's.
  ASSERT_OK_AND_ASSIGN(const auto reader, storage::OpenDevice(temp_ / "checkpoint", 1, {}));
  EXPECT_EQ(reader->manifest().compatibility.model, "tiny");
  EXPECT_EQ(reader->manifest().compatibility.device_kind, "host");
  EXPECT_EQ(reader->manifest().compatibility.granularity, MemoryService::kGranularity);
}

// W-20: nothing on disk is touched before the lease is there.
TEST_F(SaveTest, NothingCommittedEndsAtTheDeadlineWithAReasonAndLeavesTheOldOne) {
  ASSERT_OK(service_.Commit(0, Weights::Sample(1)));
  ASSERT_OK(service_.Commit(1, Weights::Sample(2)));
  ASSERT_OK(Save());
  ASSERT_OK_AND_ASSIGN(const auto writer, service_.Connect(1, LeaseRequest::kRw));
  options_.lock_timeout = std::chrono::milliseconds(1);
  const auto report = Save();
  EXPECT_CODE(Code::kDeadlineExceeded, report);
  EXPECT_THAT(std::string(report.status().message()),
              testing::AllOf(HasSubstr("device 1"), HasSubstr(service_.Socket(1)),
                             HasSubstr("--save-lock-timeout-ms")));
  EXPECT_OK(storage::OpenDevice(temp_ / "checkpoint", 0, {}));
}

// W-25: the same save again verifies and succeeds.
TEST_F(SaveTest, TheSameAgainWritesNothing) {
  ASSERT_OK(service_.Commit(0, Weights::Sample(1)));
  ASSERT_OK(service_.Commit(1, Weights::Sample(2)));
  ASSERT_OK(Save());
  FaultyFileSystem untouched(RealFileSystem());
  files_ = &untouched;
  ASSERT_OK_AND_ASSIGN(const SaveReport again, Save());
  EXPECT_TRUE(again.already_saved);
  EXPECT_THAT(untouched.trace(), Each(AnyOf(StartsWith("read "), StartsWith("list "))));
}

// A save of the same contents completes what was killed: the artifacts are in their places, where
// readers that know no records look for them, and nothing else is left.
TEST_F(SaveTest, TheSameAgainFinishesWhatWasKilledAtAnyStep) {
  const auto commit = [&](int seed) {
    ASSERT_OK(service_.Commit(0, Weights::Sample(seed)));
    ASSERT_OK(service_.Commit(1, Weights::Sample(seed + 1)));
  };
  const auto in_place = [&](int device) {
    const auto manifest = RealFileSystem().Read(
        temp_ / ("checkpoint/device-" + std::to_string(device) + "/manifest.json"), 1 << 20);
    EXPECT_OK(manifest);
    const auto read = storage::ReadManifest(manifest.ok() ? *manifest : "");
    EXPECT_OK(read);
    return read.ok() ? read->root.Hex() : "";
  };
  int found_saved = 0;
  bool ended = false;
  for (int step = 0; !ended; ++step) {
    SCOPED_TRACE(step);
    commit(1);
    ASSERT_OK(Save());
    commit(11);
    FaultyFileSystem killed(RealFileSystem());
    killed.KillAt(step);
    files_ = &killed;
    ended = Save().ok();
    files_ = &RealFileSystem();
    ASSERT_OK_AND_ASSIGN(const SaveReport again, Save());
    found_saved += again.already_saved ? 1 : 0;
    for (const int device : {0, 1}) {
      ASSERT_OK_AND_ASSIGN(const auto reader,
                           storage::OpenDevice(temp_ / "checkpoint", device, {}));
      EXPECT_EQ(reader->artifact().metadata.front().value, "seed " + std::to_string(11 + device));
      EXPECT_EQ(in_place(device), reader->manifest().root.Hex());
    }
    EXPECT_THAT(*RealFileSystem().List(temp_ / "checkpoint"),
                UnorderedElementsAre("device-0", "device-1", "gms-checkpoint.json",
                                     ".gms-checkpoint.lock"));
  }
  EXPECT_GT(found_saved, 1) << "never killed after the record was published";
}

// Killed after the record was replaced and before the directory of a device that is no more went.
TEST_F(SaveTest, TheSameAgainRemovesADeviceThatIsNoMore) {
  ASSERT_OK(service_.Commit(0, Weights::Sample(1)));
  ASSERT_OK(service_.Commit(1, Weights::Sample(2)));
  ASSERT_OK(Save());
  std::filesystem::copy(temp_ / "checkpoint/device-1", temp_ / "checkpoint/device-2",
                        std::filesystem::copy_options::recursive);
  ASSERT_OK_AND_ASSIGN(const SaveReport again, Save());
  EXPECT_TRUE(again.already_saved);
  EXPECT_FALSE(std::filesystem::exists(temp_ / "checkpoint/device-2"));
}

// Whoever asks for a whole checkpoint could not load one with more devices.
TEST_F(SaveTest, ACheckpointOfMoreDevicesIsNotTheSameAgain) {
  ASSERT_OK(service_.Commit(0, Weights::Sample(1)));
  ASSERT_OK(service_.Commit(1, Weights::Sample(2)));
  ASSERT_OK(Save());
  auto fewer = service_.Devices();
  fewer.pop_back();
  const auto save = [&](bool whole) {
    options_.whole = whole;
    SaveGauge gauge;
    return SaveCheckpoint(fewer, options_, *files_, RealClock(), Logger::Null(), gauge,
                          WaitLimit::Forever());
  };
  ASSERT_OK_AND_ASSIGN(const SaveReport part, save(false));
  EXPECT_TRUE(part.already_saved) << "a part of it was asked for";
  ASSERT_OK_AND_ASSIGN(const SaveReport whole, save(true));
  EXPECT_FALSE(whole.already_saved);
  EXPECT_EQ(*storage::FindDevices(temp_ / "checkpoint"), std::set<int64_t>{0});
}

TEST_F(SaveTest, ACheckpointWithoutItsRecordIsNotTheSameAgain) {
  ASSERT_OK(service_.Commit(0, Weights::Sample(1)));
  ASSERT_OK(service_.Commit(1, Weights::Sample(2)));
  ASSERT_OK(Save());
  const std::string record = temp_ / "checkpoint/gms-checkpoint.json";
  ASSERT_OK(RealFileSystem().Remove(record));
  ASSERT_OK_AND_ASSIGN(const SaveReport again, Save());
  EXPECT_FALSE(again.already_saved);
  EXPECT_OK(RealFileSystem().Stat(record));
}

TEST_F(SaveTest, ChangedWeightsAndDamagedFilesAreSavedAnew) {
  ASSERT_OK(service_.Commit(0, Weights::Sample(1)));
  ASSERT_OK(service_.Commit(1, Weights::Sample(2)));
  ASSERT_OK(Save());
  ASSERT_OK(service_.Commit(1, Weights::Sample(3)));
  ASSERT_OK_AND_ASSIGN(const SaveReport changed, Save());
  EXPECT_FALSE(changed.already_saved);
  const std::string shard = temp_ / "checkpoint/device-0/shards/shard_0000.bin";
  ASSERT_OK_AND_ASSIGN(std::string bytes, RealFileSystem().Read(shard, 1 << 30));
  bytes[5] ^= 1;
  ASSERT_OK(RealFileSystem().Write(shard, bytes, 0644));
  ASSERT_OK_AND_ASSIGN(const SaveReport repaired, Save());
  EXPECT_FALSE(repaired.already_saved);
  ASSERT_OK_AND_ASSIGN(const SaveReport same, Save());
  EXPECT_TRUE(same.already_saved);
}

TEST_F(SaveTest, StoppedItLeavesNothing) {
  ASSERT_OK(service_.Commit(0, Weights::Sample(1)));  // and nothing on the other device
  std::stop_source stop;
  stop.request_stop();
  EXPECT_CODE(Code::kCancelled, Save({.stop = stop.get_token()}));
  EXPECT_FALSE(std::filesystem::exists(temp_ / "checkpoint"));
}

// D04: the device is bound before its server is asked for anything.
TEST_F(SaveTest, ADeviceThatCannotBeBoundIsNotAskedFor) {
  std::vector<storage::DeviceAccess> devices = service_.Devices();
  devices.resize(1);
  bool asked = false;
  devices[0].bind = [](const std::string&) -> Result<std::unique_ptr<AddressSpace>> {
    return UnavailableError("no such device");
  };
  devices[0].socket = [&](const AddressSpace*) {
    asked = true;
    return service_.Socket(0);
  };
  SaveGauge gauge;
  options_.directory = temp_ / "checkpoint";
  EXPECT_CODE(Code::kUnavailable, SaveCheckpoint(devices, options_, *files_, RealClock(),
                                                 Logger::Null(), gauge, WaitLimit::Forever()));
  EXPECT_FALSE(asked);
}

TEST_F(SaveTest, ReadersMayComeWhileItSaves) {
  ASSERT_OK(service_.Commit(0, Weights::Sample(1)));
  ASSERT_OK(service_.Commit(1, Weights::Sample(2)));
  ASSERT_OK_AND_ASSIGN(const auto reader, service_.Connect(0, LeaseRequest::kRo));
  EXPECT_OK(Save());
}

}  // namespace
}  // namespace hearth::gms::saver
