#include "gms/loader/load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "gms/device/testing/kernel_setting.h"
#include "gms/device/testing/standin_cuda.h"
#include "gms/saver/save.h"
#include "gms/saver/testing/memory_service.h"
#include "gms/storage/checkpoint.h"

namespace hearth::gms::loader {
namespace {

using saver::MemoryService;
using saver::Weights;
using testing::HasSubstr;

class LoadTest : public testing::Test {
 protected:
  LoadTest() {
    const MemoryService source(2);
    EXPECT_TRUE(const_cast<MemoryService&>(source).Commit(0, zero_).ok());
    EXPECT_TRUE(const_cast<MemoryService&>(source).Commit(1, one_).ok());
    saver::SaveGauge gauge;
    const auto saved = saver::SaveCheckpoint(
        source.Devices(),
        {.directory = directory_, .shard_bytes = 4 * MemoryService::kGranularity, .model = "m"},
        RealFileSystem(), RealClock(), Logger::Null(), gauge, WaitLimit::Forever());
    EXPECT_TRUE(saved.ok()) << saved.status().ToString();
  }

  Result<LoadReport> Load(const MemoryService& service, LoadOptions options = {}) {
    return Load(service.Devices(), std::move(options));
  }
  Result<LoadReport> Load(const std::vector<storage::DeviceAccess>& devices, LoadOptions options) {
    options.directory = directory_;
    return LoadCheckpoint(devices, options, RealClock(), Logger::Null(), gauge_,
                          WaitLimit{.stop = stop_.get_token()});
  }
  void Damage(const std::string& shard) {
    ASSERT_OK_AND_ASSIGN(std::string bytes, RealFileSystem().Read(shard, 1 << 30));
    bytes[bytes.size() / 2] ^= 1;
    ASSERT_OK(RealFileSystem().Write(shard, bytes, 0644));
  }

  TempDirectory temp_;
  std::string directory_ = temp_ / "checkpoint";
  Weights zero_ = Weights::Sample(1);
  Weights one_ = Weights::Sample(2, {1, 1, 30, 4});
  LoadGauge gauge_;
  std::stop_source stop_;
};

// H01: save, then load into a fresh server: the same ids, sizes and bytes.
TEST_F(LoadTest, AFreshServerGetsTheSameWeights) {
  const MemoryService service(2);
  ASSERT_OK_AND_ASSIGN(const LoadReport report, Load(service));
  EXPECT_EQ(report.bytes, 58 * MemoryService::kGranularity);
  EXPECT_EQ(report.allocations, 7U);
  EXPECT_EQ(gauge_.done_bytes, report.bytes);
  ASSERT_OK_AND_ASSIGN(const Weights zero, service.Read(0));
  EXPECT_TRUE(zero == zero_);
  ASSERT_OK_AND_ASSIGN(const Weights one, service.Read(1));
  EXPECT_TRUE(one == one_);
}

// H02: a failing transfer leaves nothing committed on any device, no memory, and a free lease.
TEST_F(LoadTest, ADamagedChunkIsNamedAndNothingIsCommittedAnywhere) {
  Damage(directory_ + "/device-1/shards/shard_0001.bin");
  const MemoryService service(2);
  const auto report = Load(service);
  EXPECT_CODE(Code::kDataLoss, report);
  EXPECT_THAT(std::string(report.status().message()),
              testing::AllOf(HasSubstr("device-1/shards/shard_0001.bin"), HasSubstr("chunk")));
  for (const int device : {0, 1}) {
    EXPECT_CODE(Code::kDeadlineExceeded, service.Connect(device, LeaseRequest::kRo));
    EXPECT_EQ(service.OpenAllocations(device), 0);
  }
}

TEST_F(LoadTest, WhatWasCommittedBeforeSurvivesALoadThatFails) {
  Damage(directory_ + "/device-0/shards/shard_0000.bin");
  MemoryService service(2);
  const Weights before = Weights::Sample(9);
  ASSERT_OK(service.Commit(0, before));
  EXPECT_FALSE(Load(service).ok());
  ASSERT_OK_AND_ASSIGN(const Weights after, service.Read(0));
  EXPECT_TRUE(after == before);
}

// D02: a server with other devices than the checkpoint has.
TEST_F(LoadTest, OtherDevicesAreListed) {
  const MemoryService service(3);
  const auto report = Load(service);
  EXPECT_CODE(Code::kInvalid, report);
  EXPECT_THAT(std::string(report.status().message()), HasSubstr("missing=[2] extra=[]"));
}

// D03: one device of many.
TEST_F(LoadTest, OneDeviceCanBeLoadedAlone) {
  const MemoryService service(2);
  std::vector<storage::DeviceAccess> devices = service.Devices();
  devices.erase(devices.begin());
  ASSERT_OK(Load(devices, {.only_these = true}));
  ASSERT_OK_AND_ASSIGN(const Weights one, service.Read(1));
  EXPECT_TRUE(one == one_);
  EXPECT_CODE(Code::kDeadlineExceeded, service.Connect(0, LeaseRequest::kRo));
}

// W-27: another model is refused before anything is asked of the server.
TEST_F(LoadTest, AnotherModelIsRefused) {
  MemoryService service(2);
  const Weights before = Weights::Sample(9);
  ASSERT_OK(service.Commit(0, before));
  const auto report = Load(service, {.model = "other"});
  EXPECT_CODE(Code::kInvalid, report);
  EXPECT_THAT(std::string(report.status().message()), HasSubstr("model m"));
  EXPECT_OK(service.Read(0));
}

TEST_F(LoadTest, ADeviceOfCoarserGranularityIsRefused) {
  const MemoryService service(2, HostPages::kSmall, 4 * MemoryService::kGranularity);
  const auto report = Load(service);
  EXPECT_CODE(Code::kInvalid, report);
  EXPECT_THAT(std::string(report.status().message()), HasSubstr("granularity"));
}

TEST_F(LoadTest, StoppedItGivesEverythingBack) {
  const MemoryService service(2);
  ASSERT_OK_AND_ASSIGN(auto writer, service.Connect(1, LeaseRequest::kRw));
  const std::vector<storage::DeviceAccess> devices = service.Devices();
  // Device 0 is loaded while device 1 waits for its lease.
  std::vector<storage::DeviceAccess> watched = devices;
  watched[1].socket = [&](const AddressSpace* space) {
    stop_.request_stop();
    return devices[1].socket(space);
  };
  EXPECT_CODE(Code::kCancelled, Load(watched, {}));
  writer.reset();
  EXPECT_CODE(Code::kDeadlineExceeded, service.Connect(0, LeaseRequest::kRo));
}

// Memory of all kinds, through a checkpoint and back. The middle piece is all zeros.
class KindsOfMemory : public testing::Test {
 protected:
  static constexpr uint64_t kHugePage = 2 << 20;
  static Weights Large() {
    constexpr uint64_t kPage = kHugePage / MemoryService::kGranularity;
    return Weights::Sample(3, {kPage, kPage, 3 * kPage});
  }
  void Save(MemoryService& source) {
    ASSERT_OK(source.Commit(0, Large()));
    saver::SaveGauge gauge;
    ASSERT_OK(saver::SaveCheckpoint(First(source), {.directory = temp_ / "c"}, RealFileSystem(),
                                    RealClock(), Logger::Null(), gauge, WaitLimit::Forever()));
  }
  void LoadAndCompare(MemoryService& target) {
    LoadGauge gauge;
    ASSERT_OK(LoadCheckpoint(First(target), {.directory = temp_ / "c", .only_these = true},
                             RealClock(), Logger::Null(), gauge, WaitLimit::Forever()));
    ASSERT_OK_AND_ASSIGN(const Weights loaded, target.Read(0));
    EXPECT_TRUE(loaded == Large());
  }
  // Lives as long as the test: what saves and loads refers to it.
  const std::vector<storage::DeviceAccess>& First(const MemoryService& service) {
    devices_ = service.Devices();
    devices_.resize(1);
    return devices_;
  }

  TempDirectory temp_;
  std::vector<storage::DeviceAccess> devices_;
};

TEST_F(KindsOfMemory, HugePagesAreSavedAndLoaded) {
  const auto pool = HugePagePool::Reserve(16);
  if (!pool.ok()) {
    GTEST_SKIP() << "this machine gives no huge pages: " << pool.status().message();
  }
  MemoryService source(1, HostPages::kHuge2M, kHugePage);
  Save(source);
  MemoryService huge(1, HostPages::kHuge2M, kHugePage);
  LoadAndCompare(huge);
  MemoryService small(1, HostPages::kSmall, kHugePage);
  LoadAndCompare(small);
}

TEST_F(KindsOfMemory, TransparentHugePagesAreSavedAndLoaded) {
  const auto allowed =
      KernelSetting::Change("/sys/kernel/mm/transparent_hugepage/shmem_enabled", "advise");
  if (!allowed.ok()) {
    GTEST_SKIP() << "transparent huge pages cannot be had: " << allowed.status().message();
  }
  MemoryService source(1, HostPages::kTransparentHuge, kHugePage);
  Save(source);
  MemoryService target(1, HostPages::kTransparentHuge, kHugePage);
  LoadAndCompare(target);
}

// A driver's memory is copied through pinned slots; it promises no zeros, so they are written.
TEST_F(KindsOfMemory, ADriversMemoryIsSavedAndLoaded) {
  const auto open = [] {
    std::vector<std::unique_ptr<Device>> devices;
    for (const int ordinal : {0, 1}) {
      devices.push_back(std::move(OpenCudaDevice(ordinal, StandInCuda()).value()));
    }
    return devices;
  };
  {
    MemoryService source(open(), StandInCuda());
    Save(source);
  }
  const StandInCudaControl driver;
  const int pinned = driver.Calls("cuMemHostRegister");
  MemoryService target(open(), StandInCuda());
  LoadAndCompare(target);
  EXPECT_GT(driver.Calls("cuMemHostRegister"), pinned);
  // To memory of this machine, too.
  MemoryService host(1, HostPages::kSmall, kHugePage);
  LoadAndCompare(host);
}

}  // namespace
}  // namespace hearth::gms::loader
