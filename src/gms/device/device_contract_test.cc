#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/testing/status_matchers.h"
#include "gms/device/testing/devices_under_test.h"
#include "gms/device/testing/holder_process.h"

// What every device promises its owner.
namespace hearth::gms {
namespace {

class DeviceContract : public ::testing::TestWithParam<DeviceUnderTest> {
 protected:
  void SetUp() override {
    auto opened = GetParam().open();
    ASSERT_OK(opened);
    device_ = std::move(*opened);
    step_ = device_->facts().granularity;
  }

  uint64_t Free() { return device_->FreeBytes().value_or(0); }

  std::unique_ptr<Device> device_;
  uint64_t step_ = 0;
};

TEST_P(DeviceContract, TellsWhatItIs) {
  const DeviceFacts& facts = device_->facts();
  EXPECT_EQ(facts.uuid.size(), std::string("GPU-00000000-0000-0000-0000-000000000000").size());
  EXPECT_TRUE(facts.uuid.starts_with("GPU-")) << facts.uuid;
  EXPECT_EQ(facts.granularity & (facts.granularity - 1), 0U);
  EXPECT_EQ(facts.total_bytes, GetParam().total_bytes);
  EXPECT_EQ(Free(), GetParam().total_bytes);
}

TEST_P(DeviceContract, NameStaysTheSame) {
  ASSERT_OK_AND_ASSIGN(auto again, GetParam().open());
  EXPECT_EQ(again->facts().uuid, device_->facts().uuid);
}

TEST_P(DeviceContract, MemoryIsCountedWhileItIsThere) {
  ASSERT_OK_AND_ASSIGN(Device::Handle piece, device_->Create(2 * step_));
  EXPECT_NE(piece, 0U);
  EXPECT_EQ(Free(), GetParam().total_bytes - 2 * step_);
  device_->Release(piece);
  EXPECT_EQ(Free(), GetParam().total_bytes);
}

TEST_P(DeviceContract, SizesThatCanNeverBeAreInvalid) {
  EXPECT_CODE(Code::kInvalid, device_->Create(0));
  EXPECT_CODE(Code::kInvalid, device_->Create(step_ + 1));
  EXPECT_CODE(Code::kInvalid, device_->Create(GetParam().total_bytes + step_));
  EXPECT_CODE(Code::kInvalid, device_->Create(~uint64_t{0}));
  EXPECT_EQ(Free(), GetParam().total_bytes);
}

TEST_P(DeviceContract, NoMemoryNowIsTransient) {
  ASSERT_OK_AND_ASSIGN(Device::Handle most, device_->Create(GetParam().total_bytes - step_));
  EXPECT_CODE(Code::kExhausted, device_->Create(2 * step_));
  EXPECT_OK(device_->Create(step_));
  EXPECT_CODE(Code::kExhausted, device_->Create(step_));
  device_->Release(most);
  EXPECT_OK(device_->Create(2 * step_));
}

TEST_P(DeviceContract, HandlesAreNotReused) {
  ASSERT_OK_AND_ASSIGN(Device::Handle first, device_->Create(step_));
  device_->Release(first);
  ASSERT_OK_AND_ASSIGN(Device::Handle second, device_->Create(step_));
  EXPECT_NE(first, second);
  device_->Release(first);  // nothing happens
  EXPECT_EQ(Free(), GetParam().total_bytes - step_);
}

TEST_P(DeviceContract, WhatIsNotThereIsNotFound) {
  EXPECT_CODE(Code::kNotFound, device_->Export(77, Access::kRead));
  EXPECT_CODE(Code::kNotFound, device_->Seal(77));
  device_->Release(77);
  device_->Release(0);
}

TEST_P(DeviceContract, EveryExportIsADescriptorOfItsOwnThatDiesWithExec) {
  ASSERT_OK_AND_ASSIGN(Device::Handle piece, device_->Create(step_));
  ASSERT_OK_AND_ASSIGN(UniqueFd one, device_->Export(piece, Access::kReadWrite));
  ASSERT_OK_AND_ASSIGN(UniqueFd two, device_->Export(piece, Access::kRead));
  EXPECT_NE(one.get(), two.get());
  EXPECT_EQ(::fcntl(one.get(), F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
  EXPECT_EQ(::fcntl(two.get(), F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
}

TEST_P(DeviceContract, WhatIsLentStaysGoodWhenThePieceIsSealedAndReleased) {
  EXPECT_CODE(Code::kNotFound, device_->Lend(77, Access::kRead));
  ASSERT_OK_AND_ASSIGN(Device::Handle piece, device_->Create(step_));
  ASSERT_OK_AND_ASSIGN(const LentFd lent, device_->Lend(piece, Access::kReadWrite));
  struct stat before {};
  ASSERT_EQ(::fstat(lent->get(), &before), 0);
  ASSERT_OK(device_->Seal(piece));
  device_->Release(piece);
  struct stat after {};
  ASSERT_EQ(::fstat(lent->get(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
}

TEST_P(DeviceContract, SealedTwiceIsSealed) {
  ASSERT_OK_AND_ASSIGN(Device::Handle piece, device_->Create(step_));
  EXPECT_OK(device_->Seal(piece));
  EXPECT_OK(device_->Seal(piece));
  EXPECT_OK(device_->Export(piece, Access::kRead));
  EXPECT_OK(device_->Export(piece, Access::kReadWrite));
}

// A23, the device's share: memory that a process still holds is not free, whoever released it.
TEST_P(DeviceContract, ReleasedMemoryIsFreeOnlyWhenItsLastHolderIsGone) {
  uint64_t most = GetParam().total_bytes / step_ * 9 / 10 * step_;
  ASSERT_OK_AND_ASSIGN(Device::Handle piece, device_->Create(most));
  ASSERT_OK_AND_ASSIGN(UniqueFd fd, device_->Export(piece, Access::kReadWrite));
  HolderProcess holder(fd);
  fd.reset();
  device_->Release(piece);
  EXPECT_EQ(Free(), GetParam().total_bytes - most);
  EXPECT_CODE(Code::kExhausted, device_->Create(most));
  holder.Kill();
  EXPECT_OK(device_->Create(most));
}

TEST_P(DeviceContract, SuccessorAdoptsWhatIsExported) {
  ASSERT_OK_AND_ASSIGN(Device::Handle plain, device_->Create(step_));
  ASSERT_OK_AND_ASSIGN(Device::Handle sealed, device_->Create(2 * step_));
  ASSERT_OK(device_->Seal(sealed));
  ASSERT_OK_AND_ASSIGN(UniqueFd plain_fd, device_->Export(plain, Access::kReadWrite));
  ASSERT_OK_AND_ASSIGN(UniqueFd sealed_fd, device_->Export(sealed, Access::kReadWrite));

  ASSERT_OK_AND_ASSIGN(auto successor, GetParam().open());
  ASSERT_OK_AND_ASSIGN(Device::Handle first, successor->Adopt(std::move(plain_fd), step_));
  ASSERT_OK_AND_ASSIGN(Device::Handle second, successor->Adopt(std::move(sealed_fd), 2 * step_));
  EXPECT_NE(first, second);
  EXPECT_OK(successor->Export(first, Access::kReadWrite));
  EXPECT_OK(successor->Export(second, Access::kRead));
  EXPECT_OK(successor->Seal(first));
}

TEST_P(DeviceContract, NothingButAPieceIsAdopted) {
  EXPECT_CODE(Code::kInvalid, device_->Adopt(UniqueFd(::open("/dev/null", O_RDWR)), step_));
  ASSERT_OK_AND_ASSIGN(Device::Handle piece, device_->Create(step_));
  ASSERT_OK_AND_ASSIGN(UniqueFd fd, device_->Export(piece, Access::kReadWrite));
  EXPECT_CODE(Code::kInvalid, device_->Adopt(std::move(fd), step_ + 1));
  EXPECT_CODE(Code::kInvalid, device_->Adopt(UniqueFd(), step_));
}

INSTANTIATE_TEST_SUITE_P(Kinds, DeviceContract, ::testing::ValuesIn(DevicesUnderTest()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace hearth::gms
