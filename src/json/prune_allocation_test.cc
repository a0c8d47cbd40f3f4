// Pruning allocates nothing once its buffers have grown. Counted by replacing the global operators,
// which the thread sanitizer has replaced already: its builds leave this out.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HEARTH_CANNOT_COUNT
#endif
#endif
#ifndef HEARTH_CANNOT_COUNT
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "json/prune.h"
#include "json/testing/sample_pod.h"

namespace {

thread_local size_t allocations = 0;

void* Allocate(size_t size) {
  ++allocations;
  void* memory = std::malloc(size == 0 ? 1 : size);  // NOLINT(cppcoreguidelines-no-malloc)
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  return memory;
}

}  // namespace

void* operator new(size_t size) { return Allocate(size); }
void* operator new[](size_t size) { return Allocate(size); }
void* operator new(size_t size, const std::nothrow_t&) noexcept { return Allocate(size); }
void* operator new[](size_t size, const std::nothrow_t&) noexcept { return Allocate(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t) noexcept { std::free(memory); }

namespace hearth::json {
namespace {

size_t AllocationsPerObject(const FieldSet& fields, std::string_view text) {
  Pruner pruner(fields);
  EXPECT_TRUE(pruner.Prune(text).ok());
  const size_t before = allocations;
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(pruner.Prune(text).ok());
  }
  return allocations - before;
}

TEST(PrunerMemory, NothingIsAllocatedPerObject) {
  FieldSet some;
  ASSERT_TRUE(some.Add("metadata.labels", FieldSet::Mark::kKept).ok());
  ASSERT_TRUE(some.Add("spec.containers[].image", FieldSet::Mark::kKept).ok());
  ASSERT_TRUE(some.Add("status.conditions", FieldSet::Mark::kSilent).ok());
  const std::string pod = SamplePod::Text();
  EXPECT_EQ(AllocationsPerObject(some, pod), 0U);
  EXPECT_EQ(AllocationsPerObject(FieldSet::Everything(), pod), 0U);
  EXPECT_EQ(AllocationsPerObject(FieldSet::Everything(), Value(View::Trusted(pod)).WritePretty()),
            0U);
}

TEST(PrunerMemory, TheCountCanFail) {
  const size_t before = allocations;
  const std::string pod = SamplePod::Text();
  EXPECT_GT(allocations, before) << pod.size();
}

}  // namespace
}  // namespace hearth::json

#endif  // HEARTH_CANNOT_COUNT
