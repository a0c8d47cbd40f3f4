#include "gms/device/testing/faulty_device.h"

#include <gmock/gmock.h>

#include "base/testing/status_matchers.h"
#include "gms/device/host_device.h"

namespace hearth::gms {
namespace {

using ::testing::ElementsAre;

constexpr uint64_t kStep = 4096;

FaultyDevice Open() {
  auto device = OpenHostDevice({.budget_bytes = 16 * kStep, .granularity = kStep});
  CHECK(device.ok());
  return FaultyDevice(std::move(*device));
}

TEST(FaultyDevice, PassesEverythingOnAndWritesItDown) {
  FaultyDevice device = Open();
  ASSERT_OK_AND_ASSIGN(Device::Handle piece, device.Create(kStep));
  ASSERT_OK_AND_ASSIGN(UniqueFd fd, device.Export(piece, Access::kReadWrite));
  ASSERT_OK(device.Adopt(std::move(fd), kStep));
  ASSERT_OK(device.Seal(piece));
  ASSERT_OK(device.FreeBytes());
  device.Release(piece);
  EXPECT_EQ(device.steps(), 5);
  EXPECT_THAT(device.trace(), ElementsAre("create 4096", "export 1 read-write", "adopt 4096",
                                          "seal 1", "free bytes", "release 1"));
}

TEST(FaultyDevice, FailsOnceAtItsStep) {
  FaultyDevice device = Open();
  device.FailAt(1, InternalError("driver"));
  EXPECT_OK(device.Create(kStep));
  EXPECT_CODE(Code::kInternal, device.Create(kStep));
  EXPECT_OK(device.Create(kStep));
}

TEST(FaultyDevice, FailsFromItsStepUntilItRecovers) {
  FaultyDevice device = Open();
  device.FailFrom(1, UnavailableError("gone"));
  ASSERT_OK_AND_ASSIGN(Device::Handle piece, device.Create(kStep));
  EXPECT_CODE(Code::kUnavailable, device.Export(piece, Access::kRead));
  EXPECT_CODE(Code::kUnavailable, device.Seal(piece));
  EXPECT_CODE(Code::kUnavailable, device.Adopt(UniqueFd(), kStep));
  EXPECT_CODE(Code::kUnavailable, device.FreeBytes());
  device.Recover();
  EXPECT_EQ(device.FreeBytes().value_or(0), 15 * kStep);
}

}  // namespace
}  // namespace hearth::gms
