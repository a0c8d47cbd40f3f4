#include "gms/client/internal/wake_plan.h"

#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"

namespace hearth::gms::internal {
namespace {

Mapping Local(uintptr_t address, const std::string& id, uint64_t size = 4096) {
  Mapping mapping;
  mapping.address = address;
  mapping.allocation_id = id;
  mapping.aligned_size = size;
  mapping.tag = "t";
  return mapping;
}

AllocationItem Remote(const std::string& id, int64_t size = 4096, const std::string& tag = "t") {
  return {.allocation_id = id, .size = size, .aligned_size = size, .tag = tag};
}

TEST(WakePlan, KnownNamesArePairedWhateverTheirOrder) {
  const std::vector<Mapping> local = {Local(1, "a"), Local(2, "b")};
  const std::vector<AllocationItem> remote = {Remote("b"), Remote("a")};
  EXPECT_EQ(*PlanWake(local, remote), (WakePlan{{"a", 1}, {"b", 2}}));
}

// W-11: a part is enough when its names are there.
TEST(WakePlan, PartOfALayoutIsPairedByName) {
  const std::vector<Mapping> local = {Local(2, "b")};
  const std::vector<AllocationItem> remote = {Remote("a", 8192), Remote("b"), Remote("c")};
  EXPECT_EQ(*PlanWake(local, remote), (WakePlan{{"b", 2}}));
}

// A18: other names are paired by rank.
TEST(WakePlan, OtherNamesArePairedByRank) {
  const std::vector<Mapping> local = {Local(1, "a"), Local(2, "b", 8192)};
  const std::vector<AllocationItem> remote = {Remote("x"), Remote("y", 8192)};
  EXPECT_EQ(*PlanWake(local, remote), (WakePlan{{"x", 1}, {"y", 2}}));
}

TEST(WakePlan, WhatIsMappedHoldsItsRankAndIsLeftOut) {
  std::vector<Mapping> local = {Local(1, "a"), Local(2, "b")};
  local[0].mapped = true;
  const std::vector<AllocationItem> remote = {Remote("x"), Remote("y")};
  EXPECT_EQ(*PlanWake(local, remote), (WakePlan{{"y", 2}}));
}

TEST(WakePlan, WhatDoesNotFitIsStale) {
  const std::vector<Mapping> local = {Local(1, "a"), Local(2, "b")};
  for (const std::vector<AllocationItem>& remote :
       {std::vector{Remote("x")}, std::vector{Remote("x"), Remote("y"), Remote("z")},
        std::vector{Remote("a"), Remote("b", 8192)},
        std::vector{Remote("a"), Remote("b", 4096, "other")}}) {
    const auto plan = PlanWake(local, remote);
    EXPECT_CODE(Code::kConflict, plan);
    EXPECT_EQ(plan.status().reason(), Session::kStaleLayout);
  }
}

}  // namespace
}  // namespace hearth::gms::internal
