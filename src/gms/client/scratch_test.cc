#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "gms/client/testing/memory_rig.h"

// Addresses of full size over one block, until the memory is there (spec of scratch: no server).
namespace hearth::gms {
namespace {

constexpr uint64_t kBlock = 1U << 20;  // what the rig's engines have

TEST(Scratch, NeedsNoServerAndSharesOneBlock) {
  MemoryManagerOptions options;
  options.scratch_block = kBlock;
  const auto space = MemoryRig::Space();
  MemoryManager manager(*space, options);
  ASSERT_OK_AND_ASSIGN(const uintptr_t a, manager.CreateScratch(3 * kBlock + 1, "kv_cache"));
  ASSERT_OK_AND_ASSIGN(const uintptr_t b, manager.CreateScratch(5, "kv_cache"));
  EXPECT_EQ(a % kBlock, 0U);
  EXPECT_EQ(manager.scratch_summary().count, 2U);
  EXPECT_EQ(manager.scratch_summary().virtual_bytes, 5 * kBlock);
  EXPECT_EQ(manager.scratch_summary().physical_bytes, kBlock);
  *reinterpret_cast<char*>(a + 2 * kBlock + 7) = 'x';
  EXPECT_EQ(*reinterpret_cast<char*>(b + 7), 'x');  // the same byte
  EXPECT_EQ(manager.total_bytes(), 0U);
}

TEST(Scratch, UnmappedScratchKeepsItsAddressAndNoMemory) {
  MemoryManagerOptions options;
  options.scratch_block = kBlock;
  const auto space = MemoryRig::Space();
  MemoryManager manager(*space, options);
  const size_t fds = OpenFds();
  ASSERT_OK_AND_ASSIGN(const uintptr_t a, manager.CreateScratch(2 * kBlock, "kv_cache"));
  EXPECT_CODE(Code::kInvalid, manager.PrepareScratchForReallocation());
  ASSERT_OK(manager.UnmapAll());
  EXPECT_EQ(manager.scratch_summary().physical_bytes, 0U);
  EXPECT_EQ(Protection(a), "---p");
  EXPECT_EQ(OpenFds(), fds);
  EXPECT_EQ(SharedMappings(), 0U);
}

TEST(Scratch, BlockMustBeAPowerOfTwoOfTheGranularity) {
  for (const uint64_t block : {uint64_t{3} << 20, uint64_t{2048}, uint64_t{0}}) {
    MemoryManagerOptions options;
    options.scratch_block = block;
    const auto space = MemoryRig::Space();
    MemoryManager manager(*space, options);
    EXPECT_CODE(Code::kInvalid, manager.CreateScratch(4096, "kv_cache"));
  }
}

// A21: 4097 bytes over a block of 1 MiB become 8192 bytes of the server, at the same address.
TEST(Scratch, BecomesServerMemoryOfItsOwnSizeAtTheSameAddress) {
  for (const bool plain : {false, true}) {
    MemoryRig rig;
    const auto engine = rig.Engine("kv_cache", plain);
    ASSERT_OK_AND_ASSIGN(const uintptr_t address, (*engine)->CreateScratch(4097, "kv_cache"));
    ASSERT_OK((*engine)->UnmapAll());
    ASSERT_OK((*engine)->PrepareScratchForReallocation());
    ASSERT_OK((*engine)->Connect(LeaseRequest::kRw, WaitLimit::Forever(), true));
    ASSERT_OK((*engine)->ReallocateAll());
    ASSERT_OK_AND_ASSIGN(const auto allocations, engine->List());
    ASSERT_EQ(allocations.size(), 1U);
    EXPECT_EQ(allocations[0].size, 4097);
    EXPECT_EQ(allocations[0].aligned_size, 8192);
    ASSERT_OK((*engine)->RemapAll());
    EXPECT_EQ((*engine)->Find(address)->aligned_size, 8192U);
    engine->Write(address + 8000, "real");
    EXPECT_EQ(engine->Read(address + 8000, 4), "real");
    EXPECT_EQ((*engine)->scratch_summary().count, 0U);
    ASSERT_OK((*engine)->DestroyMapping(address));
    EXPECT_EQ(engine->List()->size(), 0U);
  }
}

// A standby adopts what its predecessor sealed: it knows no names, ranks decide.
TEST(Scratch, StandbyAdoptsSealedMemoryByRank) {
  MemoryRig rig({.options = {.adopt_quarantine = Duration::zero()}});
  {
    const auto first = rig.Engine("kv_cache");
    ASSERT_OK((*first)->Connect(LeaseRequest::kRw));
    ASSERT_OK_AND_ASSIGN(const uintptr_t a, (*first)->CreateMapping(4096, "kv_cache"));
    ASSERT_OK_AND_ASSIGN(const uintptr_t b, (*first)->CreateMapping(8192, "kv_cache"));
    first->Write(a, "a");
    first->Write(b, "b");
    ASSERT_OK((*first)->CommitLayout());
  }
  const auto standby = rig.Engine("kv_cache");
  ASSERT_OK_AND_ASSIGN(const uintptr_t a, (*standby)->CreateScratch(4096, "kv_cache"));
  ASSERT_OK_AND_ASSIGN(const uintptr_t b, (*standby)->CreateScratch(8192, "kv_cache"));
  ASSERT_OK((*standby)->UnmapAll());
  ASSERT_OK((*standby)->PrepareScratchForReallocation());
  ASSERT_OK_AND_ASSIGN(const WakeReport report,
                       (*standby)->Wake({.lease = LeaseRequest::kRwDataOrRw}));
  EXPECT_EQ(report.grant, Grant::kRwData);
  EXPECT_EQ(standby->Read(a, 1), "a");
  EXPECT_EQ(standby->Read(b, 1), "b");
}

}  // namespace
}  // namespace hearth::gms
