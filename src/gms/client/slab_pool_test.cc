#include "gms/client/slab_pool.h"

#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "gms/client/testing/memory_rig.h"

namespace hearth::gms {
namespace {

// F04's numbers times 64: the least that host memory can map is 4096 bytes instead of 64.
constexpr uint64_t kUnit = 64;
constexpr uint64_t kSlab = 384 * kUnit;

class SlabPoolTest : public testing::Test {
 protected:
  SlabPoolTest() {
    EXPECT_OK((*engine_)->Connect(LeaseRequest::kRw));
    pool_ = std::make_unique<SlabPool>(**engine_, SlabOptions{.classes = {{kSlab, kSlab}}});
  }
  uintptr_t Take(uint64_t units) {
    const auto address = pool_->Allocate(units * kUnit);
    EXPECT_OK(address);
    return *address;
  }

  MemoryRig rig_;
  std::unique_ptr<TestMemory> engine_ = rig_.Engine("kv_cache");
  std::unique_ptr<SlabPool> pool_;
};

// F04: three requests are packed into one slab; a hole is used again; holes merge; the last region
// takes its slab with it.
TEST_F(SlabPoolTest, RegionsArePackedFirstFitAndHolesMerge) {
  const uintptr_t first = Take(65);
  const uintptr_t second = Take(65);
  const uintptr_t third = Take(65);
  EXPECT_EQ(second, first + 128 * kUnit);
  EXPECT_EQ(third, first + 256 * kUnit);
  EXPECT_EQ(pool_->usage().slabs, 1U);

  ASSERT_OK(pool_->Free(second, 65 * kUnit));
  EXPECT_EQ(Take(65), second);

  ASSERT_OK(pool_->Free(first));
  ASSERT_OK(pool_->Free(second));
  EXPECT_EQ(Take(200), first);

  ASSERT_OK(pool_->Free(first));
  ASSERT_OK(pool_->Free(third));
  EXPECT_EQ(pool_->usage().slabs, 0U);
  EXPECT_EQ(engine_->List()->size(), 0U);
  EXPECT_EQ((*engine_)->mappings().size(), 0U);
}

TEST_F(SlabPoolTest, OversizeRequestHasASlabOfItsOwn) {
  const uintptr_t small = Take(65);
  const uintptr_t large = Take(385);
  EXPECT_EQ(pool_->usage().slabs, 2U);
  EXPECT_EQ((*engine_)->Find(large)->address, large);
  EXPECT_EQ((*engine_)->Find(large)->aligned_size, 448 * kUnit);
  ASSERT_OK(pool_->Free(large));
  EXPECT_EQ(pool_->usage().slabs, 1U);
  EXPECT_TRUE(pool_->Owns(small));
}

// F04: while unmapped there are no new mappings, also after reconnecting, until memory is back.
TEST_F(SlabPoolTest, NothingIsAllocatedWhileSlabsAreUnmapped) {
  const uintptr_t address = Take(65);
  const auto refused = [&] {
    const auto made = pool_->Allocate(65 * kUnit);
    EXPECT_CODE(Code::kInvalid, made);
    EXPECT_EQ(made.status().message(), "cannot create a mapping while GMS slabs are unmapped");
  };
  ASSERT_OK((*engine_)->Sleep());
  refused();
  ASSERT_OK((*engine_)->Connect(LeaseRequest::kRw, WaitLimit::Forever(), true));
  refused();
  ASSERT_OK((*engine_)->ReallocateAll());
  refused();
  ASSERT_OK((*engine_)->RemapAll());
  EXPECT_EQ(Take(65), address + 128 * kUnit);
}

TEST_F(SlabPoolTest, FreeMustMatchWhatWasAskedFor) {
  const uintptr_t address = Take(65);
  const Status wrong = pool_->Free(address, 66 * kUnit);
  EXPECT_CODE(Code::kInvalid, wrong);
  EXPECT_NE(wrong.message().find("allocator free does not match the GMS mapping"),
            std::string_view::npos);
  EXPECT_CODE(Code::kNotFound, pool_->Free(address + 1));
  EXPECT_OK(pool_->Free(address, 65 * kUnit));
}

// W-36: small and large requests lie apart, and what is wasted is told.
TEST_F(SlabPoolTest, SizeClassesKeepSmallAndLargeApartAndWasteIsReported) {
  SlabPool pool(**engine_, {.classes = {{4096, 16384}, {16384, 32768}}});
  ASSERT_OK_AND_ASSIGN(const uintptr_t small, pool.Allocate(100));
  ASSERT_OK_AND_ASSIGN(const uintptr_t large, pool.Allocate(16384));
  ASSERT_OK_AND_ASSIGN(const uintptr_t own, pool.Allocate(40000));
  EXPECT_NE((*engine_)->Find(small)->address, (*engine_)->Find(large)->address);
  SlabPool::Usage usage = pool.usage();
  EXPECT_EQ(usage.slabs, 3U);
  EXPECT_EQ(usage.requested_bytes, 100U + 16384 + 40000);
  EXPECT_EQ(usage.slab_bytes, 16384U + 32768 + 40960);
  EXPECT_EQ(usage.hole_bytes, 3U * 4096 + 16384);
  EXPECT_EQ(usage.requested_bytes + usage.padding_bytes + usage.hole_bytes, usage.slab_bytes);
  ASSERT_OK(pool.Free(large));
  EXPECT_EQ(pool.usage().slabs, 2U);  // the small one does not keep the large one's slab
  ASSERT_OK(pool.Free(own));
}

}  // namespace
}  // namespace hearth::gms
