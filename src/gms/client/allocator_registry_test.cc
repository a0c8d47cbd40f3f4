#include "gms/client/allocator_registry.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/testing/status_matchers.h"
#include "gms/client/testing/memory_rig.h"

namespace hearth::gms {
namespace {

using Backing = AllocatorRegistry::Backing;

class AllocatorRegistryTest : public testing::Test {
 protected:
  struct Engine {
    std::unique_ptr<AddressSpace> space = MemoryRig::Space();
    std::shared_ptr<MemoryManager> memory;
  };
  Engine Make(const std::string& tag) {
    Engine engine;
    engine.memory = std::make_shared<MemoryManager>(*engine.space, rig_.Options(tag));
    return engine;
  }
  ~AllocatorRegistryTest() override { EXPECT_OK(registry_.Use("")); }

  MemoryRig rig_;
  Engine weights_ = Make("weights");
  Engine kv_ = Make("kv_cache");
  AllocatorRegistry registry_;
};

TEST_F(AllocatorRegistryTest, BlocksComeFromTheActiveTagAndGoBackToTheirOwner) {
  ASSERT_OK(weights_.memory->Connect(LeaseRequest::kRw));
  ASSERT_OK(kv_.memory->Connect(LeaseRequest::kRw));
  ASSERT_OK(registry_.Register({.tag = "weights", .memory = weights_.memory}));
  ASSERT_OK(registry_.Register({.tag = "kv_cache",
                                .memory = kv_.memory,
                                .backing = Backing::kSlabs,
                                .slabs = {.classes = {{8192, 65536}}}}));
  ASSERT_OK(registry_.Use("weights"));
  ASSERT_OK_AND_ASSIGN(void* const weight, registry_.Malloc(5000, 0));
  EXPECT_EQ(*registry_.Use("kv_cache"), "weights");
  ASSERT_OK_AND_ASSIGN(void* const block, registry_.Malloc(100, 0));
  EXPECT_EQ(weights_.memory->mappings().size(), 1U);
  EXPECT_EQ(registry_.slab_usage("kv_cache").regions, 1U);
  EXPECT_EQ(registry_.live_blocks("weights"), 1U);
  // Outside of the scope that allocated it.
  ASSERT_OK(registry_.Free(weight, 5000));
  EXPECT_EQ(weights_.memory->mappings().size(), 0U);
  ASSERT_OK(registry_.Free(block, 100));
  EXPECT_EQ(registry_.slab_usage("kv_cache").slabs, 0U);
  EXPECT_CODE(Code::kNotFound, registry_.Free(block, 100));
}

TEST_F(AllocatorRegistryTest, AllocationWithoutATagFailsAndIsRemembered) {
  const auto made = registry_.Malloc(100, 0);
  EXPECT_CODE(Code::kInvalid, made);
  EXPECT_CODE(Code::kInvalid, registry_.Malloc(200, 0));
  EXPECT_EQ(registry_.TakeFailure(), made.status());  // the first one
  EXPECT_OK(registry_.TakeFailure());
}

TEST_F(AllocatorRegistryTest, TagIsActiveInItsThreadOnly) {
  ASSERT_OK(weights_.memory->Connect(LeaseRequest::kRw));
  ASSERT_OK(registry_.Register({.tag = "weights", .memory = weights_.memory}));
  ASSERT_OK(registry_.Use("weights"));
  std::thread([&] { EXPECT_CODE(Code::kInvalid, registry_.Malloc(1, 0)); }).join();
  ASSERT_OK_AND_ASSIGN(void* const block, registry_.Malloc(1, 0));
  std::thread([&] { EXPECT_OK(registry_.Free(block, 1)); }).join();
}

TEST_F(AllocatorRegistryTest, DeviceMustBeTheTags) {
  ASSERT_OK(weights_.memory->Connect(LeaseRequest::kRw));
  ASSERT_OK(registry_.Register({.tag = "weights", .device = 1, .memory = weights_.memory}));
  ASSERT_OK(registry_.Use("weights"));
  EXPECT_CODE(Code::kInvalid, registry_.Malloc(1, 0));
  EXPECT_OK(registry_.Malloc(1, 1));
}

TEST_F(AllocatorRegistryTest, OnlyAWritersMemoryBacksAnAllocator) {
  EXPECT_CODE(Code::kInvalid, registry_.Register({.tag = "weights", .memory = weights_.memory}));
  rig_.Publish({"one"});
  ASSERT_OK(weights_.memory->Connect(LeaseRequest::kRo));
  EXPECT_CODE(Code::kInvalid, registry_.Register({.tag = "weights", .memory = weights_.memory}));
}

TEST_F(AllocatorRegistryTest, SleepingMemoryMustNotBeReused) {
  ASSERT_OK(kv_.memory->Connect(LeaseRequest::kRw));
  ASSERT_OK(kv_.memory->CreateMapping(4096, "kv_cache"));
  ASSERT_OK(kv_.memory->Sleep());
  ASSERT_OK(kv_.memory->Connect(LeaseRequest::kRw, WaitLimit::Forever(), true));
  EXPECT_CODE(Code::kInvalid, registry_.Register({.tag = "kv_cache", .memory = kv_.memory}));
}

TEST_F(AllocatorRegistryTest, TagOfOtherMemoryIsAConflict) {
  ASSERT_OK(weights_.memory->Connect(LeaseRequest::kRw));
  ASSERT_OK(kv_.memory->Connect(LeaseRequest::kRw));
  ASSERT_OK(registry_.Register({.tag = "t", .memory = weights_.memory}));
  EXPECT_OK(registry_.Register({.tag = "t", .memory = weights_.memory}));
  EXPECT_CODE(Code::kConflict, registry_.Register({.tag = "t", .memory = kv_.memory}));
  EXPECT_CODE(Code::kConflict,
              registry_.Register({.tag = "t", .device = 1, .memory = weights_.memory}));
  registry_.Unregister("t");
  EXPECT_OK(registry_.Register({.tag = "t", .memory = kv_.memory}));
}

// Scratch needs no lease; afterwards the tag's blocks are the server's.
TEST_F(AllocatorRegistryTest, ScratchBecomesMemoryAndLaterBlocksAreReal) {
  ASSERT_OK(
      registry_.Register({.tag = "kv_cache", .memory = kv_.memory, .backing = Backing::kScratch}));
  ASSERT_OK(registry_.Use("kv_cache"));
  ASSERT_OK_AND_ASSIGN(void* const block, registry_.Malloc(8192, 0));
  EXPECT_EQ(kv_.memory->scratch_summary().count, 1U);
  ASSERT_OK(kv_.memory->Sleep());
  ASSERT_OK(kv_.memory->PrepareScratchForReallocation());
  ASSERT_OK(kv_.memory->Wake({.lease = LeaseRequest::kRw}));
  ASSERT_OK(registry_.Register({.tag = "kv_cache", .memory = kv_.memory}));
  ASSERT_OK(registry_.Malloc(4096, 0));
  EXPECT_EQ(kv_.memory->scratch_summary().count, 0U);
  EXPECT_EQ(kv_.memory->total_bytes(), 8192U + 4096);
  ASSERT_OK(registry_.Free(block, 8192));
  EXPECT_EQ(kv_.memory->total_bytes(), 4096U);
}

// W-34: no lock of an interpreter, many threads at once.
TEST_F(AllocatorRegistryTest, ThreadsAllocateAndFreeEachOthersBlocks) {
  ASSERT_OK(weights_.memory->Connect(LeaseRequest::kRw));
  ASSERT_OK(registry_.Register({.tag = "weights",
                                .memory = weights_.memory,
                                .backing = Backing::kSlabs,
                                .slabs = {.classes = {{8192, 65536}}}}));
  std::vector<std::vector<void*>> blocks(4);
  const auto each = [&](const auto& work) {
    std::vector<std::jthread> threads;
    for (size_t t = 0; t < blocks.size(); ++t) {
      threads.emplace_back([&, t] { work(t); });
    }
  };
  each([&](size_t t) {
    EXPECT_OK(registry_.Use("weights"));
    for (int i = 0; i < 16; ++i) {
      const auto block = registry_.Malloc(100 + i, 0);
      EXPECT_OK(block);
      blocks[t].push_back(*block);
    }
  });
  EXPECT_EQ(registry_.live_blocks("weights"), 64U);
  each([&](size_t t) {
    for (void* const block : blocks[(t + 1) % blocks.size()]) {
      EXPECT_OK(registry_.Free(block, 0));
    }
  });
  EXPECT_EQ(registry_.live_blocks("weights"), 0U);
  EXPECT_EQ(weights_.memory->mappings().size(), 0U);
}

}  // namespace
}  // namespace hearth::gms
