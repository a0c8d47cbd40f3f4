#include "gms/client/internal/address_arena.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "base/check.h"
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

class Growing : public AddressArenaTest {
 protected:
  UniqueFd Piece(uint64_t pages = 1) {
    auto piece = space_->CreateLocal(pages * kPage);
    EXPECT_OK(piece);
    return *std::move(piece);
  }
  uintptr_t TakeAndMap(uint64_t pages = 1) {
    const auto address = arena_.TakeAndMap(pages * kPage, Piece(pages), Access::kReadWrite);
    EXPECT_OK(address);
    return *address;
  }
};

TEST_F(Growing, PiecesLieOneAfterAnotherInOneReservation) {
  const uintptr_t first = TakeAndMap(2);
  EXPECT_EQ(TakeAndMap(20), first + 2 * kPage) << "however long it becomes";
  EXPECT_EQ(TakeAndMap(1), first + 22 * kPage);
  EXPECT_EQ(arena_.ReservationEnd(first), first + 23 * kPage);
  EXPECT_OK(space_->Unmap(first + 2 * kPage, 20 * kPage));
  EXPECT_OK(arena_.Give(first + 2 * kPage, 20 * kPage));
  EXPECT_EQ(TakeAndMap(3), first + 2 * kPage) << "a hole is used first";
  EXPECT_OK(space_->Unmap(first, 23 * kPage));
  EXPECT_OK(arena_.Give(first, 5 * kPage));
  EXPECT_OK(arena_.Give(first + 22 * kPage, kPage));
  EXPECT_NE(TakeAndMap(1), 0U) << "a new one begins when the first is given up";
}

TEST_F(Growing, WhoIsInTheWayKeepsHisAddresses) {
  const uintptr_t first = TakeAndMap();
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a neighbour that we do not know of
  void* wanted = reinterpret_cast<void*>(first + kPage);
  void* neighbour = ::mmap(wanted, kPage, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  ASSERT_EQ(neighbour, wanted);
  std::memcpy(neighbour, "mine", 4);
  const uintptr_t second = TakeAndMap();
  EXPECT_NE(second, first + kPage);
  EXPECT_OK(space_->CopyFromHost(second, "ours", 4));
  EXPECT_EQ(std::memcmp(neighbour, "mine", 4), 0);
  ::munmap(neighbour, kPage);
}

// An engine has threads that map and unmap all the time.
TEST_F(Growing, NothingOfOtherThreadsIsOverwritten) {
  std::atomic<bool> over = false;
  std::atomic<int> damages = 0;
  std::vector<std::jthread> others;
  for (int i = 0; i < 3; ++i) {
    others.emplace_back([&, i] {
      while (!over) {
        auto* mine = static_cast<char*>(
            ::mmap(nullptr, 4 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        CHECK(mine != MAP_FAILED);
        std::memset(mine, 'a' + i, 4 * kPage);
        std::this_thread::yield();
        damages += std::count(mine, mine + 4 * kPage, 'a' + i) == 4 * kPage ? 0 : 1;
        ::munmap(mine, 4 * kPage);
      }
    });
  }
  std::vector<uintptr_t> ours;
  for (int i = 0; i < 500; ++i) {
    ours.push_back(TakeAndMap());
    EXPECT_OK(space_->CopyFromHost(ours.back(), &i, sizeof(i)));
  }
  over = true;
  others.clear();
  EXPECT_EQ(damages, 0);
  for (int i = 0; i < 500; ++i) {
    int seen = -1;
    EXPECT_OK(space_->CopyToHost(&seen, ours[static_cast<size_t>(i)], sizeof(seen)));
    EXPECT_EQ(seen, i);
  }
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
