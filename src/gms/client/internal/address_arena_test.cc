#include "gms/client/internal/address_arena.h"

#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "gms/device/host_device.h"

namespace hearth::gms::internal {
namespace {

constexpr uint64_t kPage = 4096;

class AddressArenaTest : public testing::Test {
 protected:
  uintptr_t Take(uint64_t pages, uint64_t alignment = kPage) {
    const auto address = arena_.Take(pages * kPage, alignment);
    EXPECT_OK(address);
    return *address;
  }

  std::unique_ptr<AddressSpace> space_ = OpenHostAddressSpace({.granularity = kPage});
  AddressArena arena_{*space_, 16 * kPage};
};

TEST_F(AddressArenaTest, PartsLieOneAfterAnother) {
  const uintptr_t first = Take(2);
  EXPECT_EQ(Take(3), first + 2 * kPage);
  EXPECT_EQ(Take(1), first + 5 * kPage);
}

TEST_F(AddressArenaTest, ReservationEndsBehindItsLastPart) {
  const uintptr_t first = Take(2);
  const uintptr_t second = Take(14);
  const uintptr_t other = Take(1);  // the first reservation is full
  EXPECT_EQ(arena_.ReservationEnd(first), first + 16 * kPage);
  EXPECT_EQ(arena_.ReservationEnd(second + 13 * kPage), first + 16 * kPage);
  EXPECT_EQ(arena_.ReservationEnd(other), other + 16 * kPage);
}

TEST_F(AddressArenaTest, LowestHoleThatFitsIsUsedAgainAndHolesMerge) {
  const uintptr_t first = Take(2);
  const uintptr_t second = Take(2);
  Take(1);
  ASSERT_OK(arena_.Give(second, 2 * kPage));
  ASSERT_OK(arena_.Give(first, 2 * kPage));
  EXPECT_EQ(Take(4), first);
}

TEST_F(AddressArenaTest, AlignmentLeavesAHoleThatIsUsedLater) {
  const uintptr_t first = Take(1);
  const uintptr_t aligned = Take(1, 8 * kPage);
  EXPECT_EQ(aligned % (8 * kPage), 0U);
  const uintptr_t third = Take(1);
  EXPECT_TRUE(third == first + kPage || third == aligned + kPage);
}

TEST_F(AddressArenaTest, LargerThanAPieceHasAPieceOfItsOwn) {
  Take(1);
  const uintptr_t large = Take(40);
  ASSERT_OK(arena_.Give(large, 40 * kPage));
  // Given up, not kept: the address space says so.
  EXPECT_FALSE(space_->FreeReservation(large, 40 * kPage).ok());
}

TEST_F(AddressArenaTest, PieceWithNothingLeftIsGivenUp) {
  const uintptr_t first = Take(16);
  ASSERT_OK(arena_.Give(first, 16 * kPage));
  EXPECT_FALSE(space_->FreeReservation(first, 16 * kPage).ok());
}

}  // namespace
}  // namespace hearth::gms::internal
