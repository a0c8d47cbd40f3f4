#include "gms/device/cuda_device.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "base/testing/status_matchers.h"
#include "gms/device/testing/standin_cuda.h"

namespace hearth::gms {
namespace {

constexpr uint64_t kStep = 2ULL << 20;
constexpr uint64_t kTotal = 64ULL << 20;
constexpr int kOutOfMemory = 2;
constexpr int kNoDevice = 100;
constexpr int kIllegalAddress = 700;
constexpr int kNotPermitted = 800;
constexpr int kNotSupported = 801;
constexpr int kUnknown = 999;

std::unique_ptr<Device> Open(int ordinal = 0) {
  auto device = OpenCudaDevice(ordinal, StandInCuda());
  CHECK(device.ok()) << device.status().ToString();
  return std::move(*device);
}

std::unique_ptr<AddressSpace> OpenSpace() {
  auto space = OpenCudaAddressSpace(0, StandInCuda());
  CHECK(space.ok()) << space.status().ToString();
  return std::move(*space);
}

bool Says(const Status& status, const std::string& words) {
  return status.message().find(words) != std::string_view::npos;
}

TEST(CudaDevice, MachineWithoutADriverIsToldWhatWasTried) {
  Status status = OpenCudaDevice(0, {.driver = "libno-such-driver.so.1"}).status();
  EXPECT_CODE(Code::kUnavailable, status);
  EXPECT_TRUE(Says(status, "libno-such-driver.so.1")) << status;
  EXPECT_CODE(Code::kUnavailable, CountCudaDevices({.driver = "libno-such-driver.so.1"}));
}

TEST(CudaDevice, LibraryThatIsNoDriverIsToldWhatIsMissing) {
  Status status = OpenCudaDevice(0, {.driver = "libc.so.6"}).status();
  EXPECT_CODE(Code::kUnavailable, status);
  EXPECT_TRUE(Says(status, "cuInit")) << status;
}

TEST(CudaDevice, DriverThatDoesNotStartIsUnavailable) {
  StandInCudaControl driver;
  driver.Fail("cuInit", 1, kNoDevice);
  Status status = OpenCudaDevice(0, StandInCuda()).status();
  EXPECT_CODE(Code::kUnavailable, status);
  EXPECT_TRUE(Says(status, "CUDA_ERROR_NO_DEVICE")) << status;
}

TEST(CudaDevice, DevicesAreCountedAndNamedByTheDriver) {
  ASSERT_OK_AND_ASSIGN(int count, CountCudaDevices(StandInCuda()));
  EXPECT_EQ(count, 2);
  // The name is of the ordinal that the driver knows, not of another list's.
  EXPECT_EQ(Open(1)->facts().uuid, "GPU-c0c0c0c0-c0c0-c0c0-c0c0-c0c0c0c0c001");
  EXPECT_CODE(Code::kInvalid, OpenCudaDevice(2, StandInCuda()));
  EXPECT_CODE(Code::kInvalid, OpenCudaDevice(-1, StandInCuda()));
}

TEST(CudaDevice, AnInstanceOfAPartitionedDeviceHasTheNameThatTheEnvironmentGivesIt) {
  ::setenv("STANDIN_CUDA_PARTITIONED", "1", 1);
  const std::string name = Open(1)->facts().uuid;
  ::unsetenv("STANDIN_CUDA_PARTITIONED");
  EXPECT_EQ(name, "MIG-c0c0c0c0-c0c0-c0c0-c0c0-c0c0c0c0c001");
}

TEST(CudaDevice, OnlyExhaustionIsExhaustion) {
  StandInCudaControl driver;
  auto device = Open();
  driver.Fail("cuMemCreate", 1, kOutOfMemory);
  EXPECT_CODE(Code::kExhausted, device->Create(kStep));
  driver.Fail("cuMemCreate", 1, kUnknown);
  Status status = device->Create(kStep).status();
  EXPECT_CODE(Code::kInternal, status);
  EXPECT_TRUE(Says(status, "cuMemCreate of 2097152 bytes")) << status;
  EXPECT_EQ(status.reason(), "CUDA_ERROR_UNKNOWN");
  driver.Fail("cuMemCreate", 1, kNotPermitted);
  EXPECT_CODE(Code::kPermissionDenied, device->Create(kStep));
  driver.Fail("cuMemCreate", 1, kNotSupported);
  EXPECT_CODE(Code::kUnsupported, device->Create(kStep));
  driver.Fail("cuMemCreate", 1, 4711);  // a code that even the driver has no name for
  EXPECT_CODE(Code::kInternal, device->Create(kStep));
  EXPECT_OK(device->Create(kStep));
}

TEST(CudaDevice, FailedExportLeavesThePieceAlone) {
  StandInCudaControl driver;
  auto device = Open();
  ASSERT_OK_AND_ASSIGN(Device::Handle piece, device->Create(kStep));
  driver.Fail("cuMemExportToShareableHandle", 1, kUnknown);
  EXPECT_CODE(Code::kInternal, device->Export(piece, Access::kRead));
  EXPECT_OK(device->Export(piece, Access::kRead));
}

// W-39
TEST(CudaDevice, MemoryIsMadeForDirectTransfersWhereTheDeviceCan) {
  StandInCudaControl driver;
  auto device = Open();
  int before = driver.gpu_direct_pieces();
  ASSERT_OK(device->Create(kStep));
  EXPECT_EQ(driver.gpu_direct_pieces(), before + 1);

  driver.Fail("cuDeviceGetAttribute", 3, kUnknown);  // the third question is this one
  auto plain = Open();
  ASSERT_OK(plain->Create(kStep));
  EXPECT_EQ(driver.gpu_direct_pieces(), before + 1);
}

TEST(CudaDevice, DeviceThatCannotShareMemoryIsRefused) {
  StandInCudaControl driver;
  driver.Fail("cuDeviceGetAttribute", 2, kUnknown);
  EXPECT_CODE(Code::kUnavailable, OpenCudaDevice(0, StandInCuda()));
}

TEST(CudaDevice, OwnerNeedsNoContext) {
  StandInCudaControl driver;
  int contexts = driver.Calls("cuDevicePrimaryCtxRetain");
  auto device = Open();
  ASSERT_OK_AND_ASSIGN(Device::Handle piece, device->Create(kStep));
  ASSERT_OK(device->Export(piece, Access::kReadWrite));
  ASSERT_OK(device->FreeBytes());
  EXPECT_EQ(driver.Calls("cuDevicePrimaryCtxRetain"), contexts);
}

TEST(CudaDevice, WithoutTheManagementLibraryItsOwnMemoryCounts) {
  ASSERT_OK_AND_ASSIGN(auto device, OpenCudaDevice(0, {.driver = StandInCuda().driver,
                                                       .management = "libno-such.so"}));
  ASSERT_OK_AND_ASSIGN(Device::Handle piece, device->Create(kStep));
  EXPECT_EQ(device->FreeBytes().value_or(0), kTotal - kStep);
  device->Release(piece);
  EXPECT_EQ(device->FreeBytes().value_or(0), kTotal);
}

TEST(CudaDevice, WhatIsLeftGoesWithTheDevice) {
  ASSERT_OK(Open()->Create(kStep));
  EXPECT_EQ(Open()->FreeBytes().value_or(0), kTotal);
}

TEST(CudaDevice, OneDevicesExhaustionIsNotAnothers) {
  auto first = Open(0);
  auto second = Open(1);
  ASSERT_OK(first->Create(kTotal));
  EXPECT_CODE(Code::kExhausted, first->Create(kStep));
  EXPECT_OK(second->Create(kStep));
}

class CudaMapping : public ::testing::Test {
 protected:
  CudaMapping() {
    auto reserved = space_->Reserve(4 * kStep, kStep);
    CHECK(reserved.ok());
    base_ = *reserved;
  }
  Status Map() {
    auto scratch = space_->CreateLocal(kStep);
    return scratch.ok() ? space_->Map(base_, kStep, std::move(*scratch), Access::kReadWrite)
                        : scratch.status();
  }

  StandInCudaControl driver_;
  std::unique_ptr<AddressSpace> space_ = OpenSpace();
  uintptr_t base_ = 0;
};

TEST_F(CudaMapping, FailedStepOfAMappingLeavesNothingMappedAndNothingHeld) {
  for (const char* call : {"cuMemImportFromShareableHandle", "cuMemMap", "cuMemSetAccess"}) {
    driver_.Fail(call, 1, kUnknown);
    Status status = Map();
    EXPECT_CODE(Code::kInternal, status);
    EXPECT_TRUE(Says(status, call)) << status;
    EXPECT_EQ(Open()->FreeBytes().value_or(0), kTotal) << call;
    EXPECT_OK(Map());
    EXPECT_OK(space_->Unmap(base_, kStep));
  }
}

TEST_F(CudaMapping, ScratchMemoryThatCannotBeExportedIsReleased) {
  driver_.Fail("cuMemExportToShareableHandle", 1, kUnknown);
  EXPECT_CODE(Code::kInternal, Map());
  EXPECT_EQ(Open()->FreeBytes().value_or(0), kTotal);
}

TEST_F(CudaMapping, FailedUnmapCanBeTriedAgain) {
  ASSERT_OK(Map());
  driver_.Fail("cuMemUnmap", 1, kUnknown);
  EXPECT_CODE(Code::kInternal, space_->Unmap(base_, 4 * kStep));
  EXPECT_CODE(Code::kAlreadyExists, Map());
  EXPECT_OK(space_->Unmap(base_, 4 * kStep));
  EXPECT_OK(Map());
}

TEST_F(CudaMapping, FailedProtectionLeavesTheOldOne) {
  ASSERT_OK(Map());
  driver_.Fail("cuMemSetAccess", 1, kUnknown);
  EXPECT_CODE(Code::kInternal, space_->Protect(base_, kStep, Access::kRead));
  EXPECT_OK(space_->CopyFromHost(base_, "still writable", 14));
}

TEST_F(CudaMapping, FailedCopyIsToldAndTheStreamIsUsedAgain) {
  ASSERT_OK(Map());
  driver_.Fail("cuMemcpyHtoDAsync", 1, kIllegalAddress);
  EXPECT_CODE(Code::kInternal, space_->CopyFromHost(base_, "x", 1));
  driver_.Fail("cuStreamSynchronize", 1, kIllegalAddress);
  EXPECT_CODE(Code::kInternal, space_->CopyFromHost(base_, "x", 1));
  char text = 0;
  EXPECT_OK(space_->CopyToHost(&text, base_, 1));
  EXPECT_EQ(driver_.open_streams(), 1);
}

TEST_F(CudaMapping, FailedCallsForReservationsStreamsAndPinningAreTold) {
  driver_.Fail("cuMemAddressReserve", 1, kOutOfMemory);
  EXPECT_CODE(Code::kExhausted, space_->Reserve(kStep, kStep));
  driver_.Fail("cuMemAddressFree", 1, kUnknown);
  EXPECT_CODE(Code::kInternal, space_->FreeReservation(base_, 4 * kStep));
  ASSERT_OK(Map());
  driver_.Fail("cuStreamCreate", 1, kUnknown);
  EXPECT_CODE(Code::kInternal, space_->CopyFromHost(base_, "x", 1));
  driver_.Fail("cuMemHostRegister", 1, kUnknown);
  EXPECT_CODE(Code::kInternal, space_->PinHost(&base_, sizeof(base_)));
  driver_.Fail("cuCtxSynchronize", 1, kIllegalAddress);
  EXPECT_CODE(Code::kInternal, space_->Synchronize());
  driver_.Fail("cuCtxPushCurrent", 1, kUnknown);
  EXPECT_CODE(Code::kInternal, space_->Synchronize());
  EXPECT_OK(space_->Synchronize());
}

TEST_F(CudaMapping, NothingIsLeftWithTheDriver) {
  ASSERT_OK(Map());
  ASSERT_OK(space_->CopyFromHost(base_, "x", 1));
  space_.reset();
  EXPECT_EQ(driver_.open_streams(), 0);
  EXPECT_EQ(driver_.retained_contexts(), 0);
  EXPECT_EQ(Open()->FreeBytes().value_or(0), kTotal);
}

TEST_F(CudaMapping, ThreadsCopyOnStreamsOfTheirOwn) {
  ASSERT_OK(Map());
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([this, i] {
      char sent = static_cast<char>('a' + i);
      for (int round = 0; round < 200; ++round) {
        char received = 0;
        EXPECT_OK(space_->CopyFromHost(base_ + i, &sent, 1));
        EXPECT_OK(space_->CopyToHost(&received, base_ + i, 1));
        EXPECT_EQ(received, sent);
      }
    });
  }
  threads.clear();
  EXPECT_LE(driver_.open_streams(), 4);
}

}  // namespace
}  // namespace hearth::gms
