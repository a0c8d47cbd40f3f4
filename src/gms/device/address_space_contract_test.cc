#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "base/testing/status_matchers.h"
#include "gms/device/testing/devices_under_test.h"

// What every address space promises the process that maps memory with it.
namespace hearth::gms {
namespace {

class AddressSpaceContract : public ::testing::TestWithParam<DeviceUnderTest> {
 protected:
  void SetUp() override {
    auto device = GetParam().open();
    ASSERT_OK(device);
    device_ = std::move(*device);
    auto space = GetParam().open_address_space();
    ASSERT_OK(space);
    space_ = std::move(*space);
    step_ = space_->facts().granularity;
    auto piece = device_->Create(step_);
    ASSERT_OK(piece);
    piece_ = *piece;
    auto reserved = space_->Reserve(8 * step_, step_);
    ASSERT_OK(reserved);
    base_ = *reserved;
  }

  UniqueFd Export(Access access = Access::kReadWrite) {
    return device_->Export(piece_, access).value_or(UniqueFd());
  }
  Status Map(uint64_t steps_in, Access access = Access::kReadWrite) {
    return space_->Map(base_ + steps_in * step_, step_, Export(access), access);
  }
  Status Write(uint64_t offset, const std::string& text) {
    return space_->CopyFromHost(base_ + offset, text.data(), text.size());
  }
  std::string Read(uint64_t offset, size_t size) {
    std::string text(size, '?');
    Status status = space_->CopyToHost(text.data(), base_ + offset, size);
    return status.ok() ? text : status.ToString();
  }

  std::unique_ptr<Device> device_;
  std::unique_ptr<AddressSpace> space_;
  Device::Handle piece_ = 0;
  uint64_t step_ = 0;
  uintptr_t base_ = 0;
};

TEST_P(AddressSpaceContract, SameDeviceAsItsOwnerSees) {
  EXPECT_EQ(space_->facts().uuid, device_->facts().uuid);
  EXPECT_EQ(space_->facts().granularity, device_->facts().granularity);
}

TEST_P(AddressSpaceContract, ReservationIsAligned) {
  for (uint64_t alignment = step_; alignment <= 64 * step_; alignment *= 2) {
    ASSERT_OK_AND_ASSIGN(uintptr_t at, space_->Reserve(step_, alignment));
    EXPECT_EQ(at % alignment, 0U);
    EXPECT_OK(space_->FreeReservation(at, step_));
  }
}

TEST_P(AddressSpaceContract, ReservationsThatMakeNoSenseAreInvalid) {
  EXPECT_CODE(Code::kInvalid, space_->Reserve(0, step_));
  EXPECT_CODE(Code::kInvalid, space_->Reserve(step_ + 1, step_));
  EXPECT_CODE(Code::kInvalid, space_->Reserve(step_, step_ / 2));
  EXPECT_CODE(Code::kInvalid, space_->Reserve(step_, 3 * step_));
  EXPECT_CODE(Code::kInvalid, space_->Reserve(~uint64_t{0} - step_ + 1, step_));
  EXPECT_CODE(Code::kInvalid, space_->FreeReservation(base_, step_));
  EXPECT_CODE(Code::kInvalid, space_->FreeReservation(base_ + step_, 7 * step_));
}

TEST_P(AddressSpaceContract, TwoMappingsShowTheSameMemory) {
  ASSERT_OK(Map(0));
  ASSERT_OK(Map(3));
  ASSERT_OK(Write(5, "hearth"));
  EXPECT_EQ(Read(3 * step_ + 5, 6), "hearth");
}

TEST_P(AddressSpaceContract, MemoryAndAddressSurviveASleep) {
  ASSERT_OK(Map(2));
  ASSERT_OK(Write(2 * step_, "warm"));
  ASSERT_OK(space_->Synchronize());
  ASSERT_OK(space_->Unmap(base_ + 2 * step_, step_));
  ASSERT_OK(Map(2, Access::kRead));
  EXPECT_EQ(Read(2 * step_, 4), "warm");
}

TEST_P(AddressSpaceContract, MemoryOutlivesItsOwnersHandleWhileMapped) {
  ASSERT_OK(Map(0));
  ASSERT_OK(Write(0, "still here"));
  device_->Release(piece_);
  EXPECT_EQ(device_->FreeBytes().value_or(0), GetParam().total_bytes - step_);
  EXPECT_EQ(Read(0, 10), "still here");
  ASSERT_OK(space_->Unmap(base_, step_));
  EXPECT_EQ(device_->FreeBytes().value_or(0), GetParam().total_bytes);
}

TEST_P(AddressSpaceContract, MapsOnlyIntoItsReservations) {
  EXPECT_CODE(Code::kInvalid, Map(8));
  EXPECT_CODE(Code::kInvalid, space_->Map(base_ + 1, step_, Export(), Access::kReadWrite));
  EXPECT_CODE(Code::kInvalid, space_->Map(base_, step_ - 1, Export(), Access::kReadWrite));
  EXPECT_CODE(Code::kInvalid, space_->Map(base_, 0, Export(), Access::kReadWrite));
  EXPECT_CODE(Code::kInvalid,
              space_->Map(base_, ~uint64_t{0} - step_ + 1, Export(), Access::kReadWrite));
}

TEST_P(AddressSpaceContract, MappingTwiceIsRefusedAndTheFirstStays) {
  ASSERT_OK(Map(0));
  ASSERT_OK(Write(0, "first"));
  EXPECT_CODE(Code::kAlreadyExists, Map(0));
  EXPECT_EQ(Read(0, 5), "first");
}

// Where the device can: a reservation that grows is like any other.
TEST_P(AddressSpaceContract, AReservationGrowsWithThePieceBehindIt) {
  const UniqueFd piece = Export();
  const auto first = space_->MapBehind(0, step_, piece, Access::kReadWrite);
  if (!space_->host_accessible()) {
    EXPECT_CODE(Code::kUnavailable, first);
    return;
  }
  ASSERT_OK(first);
  EXPECT_EQ(*first % step_, 0U);
  ASSERT_OK_AND_ASSIGN(const uintptr_t second,
                       space_->MapBehind(*first, step_, piece, Access::kReadWrite));
  EXPECT_EQ(second, *first + step_);
  EXPECT_OK(space_->CopyFromHost(*first, "both", 4));
  std::string seen(4, ' ');
  EXPECT_OK(space_->CopyToHost(seen.data(), second, 4));
  EXPECT_EQ(seen, "both");
  EXPECT_CODE(Code::kInvalid, space_->MapBehind(second, step_, piece, Access::kReadWrite));
  EXPECT_CODE(Code::kInvalid, space_->MapBehind(*first, step_ + 1, piece, Access::kReadWrite));
  EXPECT_CODE(Code::kInvalid, space_->MapBehind(*first, 2 * step_, piece, Access::kReadWrite));
  EXPECT_CODE(Code::kConflict, space_->FreeReservation(*first, 2 * step_));
  EXPECT_OK(space_->Unmap(*first, 2 * step_));  // asleep: the addresses stay
  EXPECT_OK(space_->Map(second, step_, Export(), Access::kRead));
  EXPECT_OK(space_->Unmap(second, step_));
  EXPECT_OK(space_->FreeReservation(*first, 2 * step_));
}

TEST_P(AddressSpaceContract, APieceThatIsTooSmallOrNoneIsRefused) {
  EXPECT_CODE(Code::kInvalid, space_->Map(base_, 2 * step_, Export(), Access::kRead));
  EXPECT_CODE(Code::kInvalid, space_->Map(base_, step_, UniqueFd(), Access::kRead));
  EXPECT_OK(Map(0));
}

TEST_P(AddressSpaceContract, UnmapTakesAllMappingsOfARangeAndMindsNoGaps) {
  ASSERT_OK(Map(1));
  ASSERT_OK(Map(4));
  ASSERT_OK(space_->Unmap(base_, 8 * step_));
  ASSERT_OK(space_->Unmap(base_, 8 * step_));
  EXPECT_OK(Map(1));
}

TEST_P(AddressSpaceContract, UnmapNeverCutsAMapping) {
  ASSERT_OK_AND_ASSIGN(UniqueFd wide, space_->CreateLocal(2 * step_));
  ASSERT_OK(space_->Map(base_, 2 * step_, std::move(wide), Access::kReadWrite));
  EXPECT_CODE(Code::kInvalid, space_->Unmap(base_, step_));
  EXPECT_CODE(Code::kInvalid, space_->Unmap(base_ + step_, step_));
  EXPECT_OK(Write(step_ - 2, "over the edge"));
}

TEST_P(AddressSpaceContract, ReservationWithMemoryIsNotFreed) {
  ASSERT_OK(Map(7));
  EXPECT_CODE(Code::kConflict, space_->FreeReservation(base_, 8 * step_));
  ASSERT_OK(space_->Unmap(base_ + 7 * step_, step_));
  EXPECT_OK(space_->FreeReservation(base_, 8 * step_));
  EXPECT_CODE(Code::kInvalid, Map(0));
}

TEST_P(AddressSpaceContract, ProtectionChangesWhatMayBeWritten) {
  ASSERT_OK(Map(0));
  ASSERT_OK(space_->Protect(base_, step_, Access::kRead));
  EXPECT_CODE(Code::kPermissionDenied, Write(0, "no"));
  ASSERT_OK(space_->Protect(base_, step_, Access::kReadWrite));
  EXPECT_OK(Write(0, "yes"));
  EXPECT_CODE(Code::kInvalid, space_->Protect(base_, 2 * step_, Access::kRead));
}

TEST_P(AddressSpaceContract, ReadersCannotWrite) {
  ASSERT_OK(Map(0, Access::kRead));
  EXPECT_CODE(Code::kPermissionDenied, Write(0, "no"));
}

TEST_P(AddressSpaceContract, CopiesStayWithinWhatIsMapped) {
  ASSERT_OK(Map(0));
  ASSERT_OK(Map(1));
  EXPECT_OK(Write(step_ - 3, "across"));
  EXPECT_EQ(Read(step_ - 3, 6), "across");
  EXPECT_CODE(Code::kInvalid, Write(2 * step_ - 3, "across"));
  EXPECT_CODE(Code::kInvalid, Write(5 * step_, "nothing there"));
}

TEST_P(AddressSpaceContract, BigCopiesArriveWhole) {
  ASSERT_OK(Map(0));
  std::vector<uint32_t> sent(step_ / sizeof(uint32_t));
  std::iota(sent.begin(), sent.end(), 7);
  ASSERT_OK(space_->PinHost(sent.data(), step_));
  ASSERT_OK(space_->CopyFromHost(base_, sent.data(), step_));
  std::vector<uint32_t> received(sent.size());
  ASSERT_OK(space_->CopyToHost(received.data(), base_, step_));
  space_->UnpinHost(sent.data(), step_);
  EXPECT_EQ(sent, received);
}

TEST_P(AddressSpaceContract, ScratchMemoryNeedsNoServer) {
  ASSERT_OK_AND_ASSIGN(UniqueFd scratch, space_->CreateLocal(step_));
  UniqueFd again(::dup(scratch.get()));
  ASSERT_OK(space_->Map(base_, step_, std::move(scratch), Access::kReadWrite));
  ASSERT_OK(space_->Map(base_ + step_, step_, std::move(again), Access::kReadWrite));
  ASSERT_OK(Write(0, "scratch"));
  EXPECT_EQ(Read(step_, 7), "scratch");
  EXPECT_CODE(Code::kInvalid, space_->CreateLocal(step_ - 1));
  EXPECT_CODE(Code::kInvalid, space_->CreateLocal(0));
}

TEST_P(AddressSpaceContract, LeftReservationsGoWithTheObject) {
  ASSERT_OK(Map(0));
  device_->Release(piece_);
  space_.reset();
  EXPECT_EQ(device_->FreeBytes().value_or(0), GetParam().total_bytes);
}

INSTANTIATE_TEST_SUITE_P(Kinds, AddressSpaceContract, ::testing::ValuesIn(DevicesUnderTest()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace hearth::gms
