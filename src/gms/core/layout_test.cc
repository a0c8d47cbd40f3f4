#include "gms/core/layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "base/testing/status_matchers.h"
#include "gms/core/refusals.h"

namespace hearth::gms {
namespace {

using ::testing::HasSubstr;

void Add(Layout& layout, const std::string& id, uint64_t size, const std::string& tag,
         MemoryHandle memory = 1) {
  ASSERT_OK(layout.Add(id, size, size, tag, memory));
}

void Put(Layout& layout, const std::string& key, const std::string& id, uint64_t offset,
         const std::string& value) {
  ASSERT_OK(layout.Put(key, {id, offset, value}));
}

// Appendix A: vectors that existing clients compute alike.
TEST(LayoutHash, EmptyLayoutIsTheHashOfNothing) {
  EXPECT_EQ(Layout().Hash(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(LayoutHash, OneAllocation) {
  Layout layout;
  Add(layout, "a", 4096, "kv_cache");
  EXPECT_EQ(layout.Hash(), "7e6d7d18ce9b7855492787af133ec6ffd317f017d12209afd11b03a411f0d7e5");
}

TEST(LayoutHash, OneAllocationWithMetadata) {
  Layout layout;
  Add(layout, "a", 4096, "weights");
  Put(layout, "tensor.0", "a", 0, "weights");
  EXPECT_EQ(layout.Hash(), "a91673679f59e4770c39bb1a990dc65ef26e4ce34836cd9bc445c5841d555ce2");
}

Layout TwoAllocations(const std::vector<std::string>& ids) {
  Layout layout;
  Add(layout, ids[0], 4096, "weights");
  if (ids.size() == 3) {  // one that is freed leaves a gap
    Add(layout, ids[1], 64, "weights");
    EXPECT_NE(layout.Remove(ids[1]), 0U);
  }
  Add(layout, ids.back(), 8192, "weights");
  Put(layout, "tensor.1", ids.back(), 4096, "b");
  Put(layout, "tensor.0", ids[0], 0, "a");
  return layout;
}
constexpr std::string_view kTwoAllocations =
    "9a3f6915f4a07f9af1526a80e9aee7eb4d0601ab60074294652909b89fbbf858";

TEST(LayoutHash, TwoAllocationsWithMetadata) {
  EXPECT_EQ(TwoAllocations({"a", "b"}).Hash(), kTwoAllocations);
}

// A18, A19: other ids, and slots 0 and 2 instead of 0 and 1, hash alike.
TEST(LayoutHash, IdsAndGapsDoNotCount) {
  const Layout pruned = TwoAllocations({"z", "gap", "y"});
  EXPECT_EQ(pruned.Find("y")->slot, 2U);
  EXPECT_EQ(pruned.Hash(), kTwoAllocations);
  EXPECT_EQ(pruned.StrictHash(), TwoAllocations({"a", "b"}).StrictHash());
}

// W-09: upstream's stream has no delimiters.
TEST(LayoutHash, StrictHashTellsApartWhatTheOldOneConfuses) {
  Layout one;
  Add(one, "a", 1, "t1:2:2:u");
  Layout two;
  Add(two, "a", 1, "t");
  Add(two, "b", 2, "u");
  EXPECT_EQ(one.Hash(), two.Hash());
  EXPECT_NE(one.StrictHash(), two.StrictHash());
}

TEST(LayoutHash, StrictHashSeesEveryFact) {
  Layout base;
  Add(base, "a", 4096, "t");
  Put(base, "k", "a", 1, "v");
  for (const std::string change : {"size", "tag", "key", "offset", "value"}) {
    Layout other;
    Add(other, "a", change == "size" ? 8192 : 4096, change == "tag" ? "u" : "t");
    Put(other, change == "key" ? "l" : "k", "a", change == "offset" ? 2 : 1,
        change == "value" ? "w" : "v");
    EXPECT_NE(base.StrictHash(), other.StrictHash()) << change;
    EXPECT_NE(base.Hash(), other.Hash()) << change;
  }
}

TEST(LayoutHash, KeysOfTheEngineAreNoShape) {
  Layout layout = TwoAllocations({"a", "b"});
  const std::string strict = layout.StrictHash();
  Put(layout, std::string(kEngineKeyPrefix) + "prefix-index", "a", 0, "blocks");
  EXPECT_EQ(layout.Hash(), kTwoAllocations);
  EXPECT_EQ(layout.StrictHash(), strict);
}

TEST(Layout, SlotsCountUpAndAreNotUsedAgain) {
  Layout layout;
  Add(layout, "a", 64, "t", 11);
  Add(layout, "b", 64, "t", 12);
  EXPECT_EQ(layout.Remove("b"), 12U);
  Add(layout, "c", 64, "t", 13);
  EXPECT_EQ(layout.Find("a")->slot, 0U);
  EXPECT_EQ(layout.Find("c")->slot, 2U);
  ASSERT_EQ(layout.BySlot().size(), 2U);
  EXPECT_EQ(layout.BySlot()[1]->id, "c");
  EXPECT_EQ(layout.total_bytes(), 128U);
}

TEST(Layout, RefusesIdsThatAreThereOrEmpty) {
  Layout layout;
  Add(layout, "a", 64, "t");
  const Status again = layout.Add("a", 64, 64, "t", 2).status();
  EXPECT_CODE(Code::kAlreadyExists, again);
  EXPECT_EQ(again.reason(), refusal::kIdExists);
  EXPECT_THAT(std::string(again.message()), HasSubstr("allocation ID already exists"));
  const Status empty = layout.Add("", 64, 64, "t", 2).status();
  EXPECT_CODE(Code::kInvalid, empty);
  EXPECT_EQ(empty.message(), "allocation ID must not be empty");
  EXPECT_EQ(layout.allocation_count(), 1U);
}

TEST(Layout, RefusesSizesThatCannotBe) {
  Layout layout;
  EXPECT_EQ(layout.Add("a", 0, 0, "t", 1).status().message(), "size must be > 0");
  EXPECT_CODE(Code::kInvalid, layout.Add("a", 65, 64, "t", 1));
  Add(layout, "a", 64, "t");
  const uint64_t huge = std::numeric_limits<uint64_t>::max();
  EXPECT_CODE(Code::kInvalid, layout.Add("b", huge, huge, "t", 1));
  EXPECT_EQ(layout.total_bytes(), 64U);
}

TEST(Layout, PutOverwritesAndMovesBetweenAllocations) {
  Layout layout;
  Add(layout, "a", 64, "t");
  Add(layout, "b", 64, "t");
  Put(layout, "k", "a", 1, "old");
  Put(layout, "k", "b", 2, "new");
  EXPECT_EQ(layout.Get("k")->allocation_id, "b");
  EXPECT_EQ(layout.Get("k")->value, "new");
  layout.Remove("a");
  EXPECT_NE(layout.Get("k"), nullptr) << "it points to b";
  layout.Remove("b");
  EXPECT_EQ(layout.Get("k"), nullptr);
}

// A13: the offset must be inside the aligned size.
TEST(Layout, PutRefusesUnknownTargetsAndOffsetsOutside) {
  Layout layout;
  ASSERT_OK(layout.Add("a", 60, 64, "t", 1));
  Put(layout, "inside", "a", 63, "");
  const Status outside = layout.Put("k", {"a", 64, ""});
  EXPECT_CODE(Code::kInvalid, outside);
  EXPECT_THAT(std::string(outside.message()), HasSubstr("out of range for allocation"));
  const Status unknown = layout.Put("k", {"x", 0, ""});
  EXPECT_CODE(Code::kNotFound, unknown);
  EXPECT_EQ(unknown.message(), "Unknown allocation: x");
  EXPECT_EQ(layout.Get("k"), nullptr);
}

// A14: an allocation goes with its metadata.
TEST(Layout, RemoveTakesTheMetadataAlong) {
  Layout layout;
  Add(layout, "a", 64, "t", 5);
  Add(layout, "b", 64, "t", 6);
  Put(layout, "a.0", "a", 0, "");
  Put(layout, "a.1", "a", 1, "");
  Put(layout, "b.0", "b", 0, "");
  EXPECT_EQ(layout.Remove("a"), 5U);
  EXPECT_EQ(layout.Remove("a"), 0U);
  EXPECT_EQ(layout.metadata().size(), 1U);
  EXPECT_TRUE(layout.metadata().contains("b.0"));
}

TEST(Layout, DeleteTellsWhetherThereWasSomething) {
  Layout layout;
  Add(layout, "a", 64, "t");
  Put(layout, "k", "a", 0, "");
  EXPECT_TRUE(layout.Delete("k"));
  EXPECT_FALSE(layout.Delete("k"));
  Put(layout, "k", "a", 0, "again");
  layout.Remove("a");
  EXPECT_TRUE(layout.metadata().empty());
}

// W-14: no unlimited metadata.
TEST(Layout, LimitsAreRefusedAsExhausted) {
  Layout layout({.allocations = 1, .metadata_keys = 2, .metadata_bytes = 10});
  Add(layout, "a", 64, "t");
  EXPECT_CODE(Code::kExhausted, layout.Add("b", 64, 64, "t", 1));
  EXPECT_CODE(Code::kExhausted, layout.MayAdd("b"));
  Put(layout, "k1", "a", 0, "1234");
  EXPECT_CODE(Code::kExhausted, layout.Put("k2", {"a", 0, "123"}));
  Put(layout, "k2", "a", 0, "12");
  EXPECT_CODE(Code::kExhausted, layout.Put("k3", {"a", 0, ""}));
  Put(layout, "k1", "a", 0, "");  // overwriting gives back
  Put(layout, "k2", "a", 0, "123456");
  layout.Remove("a");
  Add(layout, "c", 64, "t");
  Put(layout, "k9", "c", 0, "12345678");
}

TEST(Layout, MovesWithItsIndexes) {
  Layout built = TwoAllocations({"a", "b"});
  Layout moved = std::move(built);
  ASSERT_NE(moved.Find("b"), nullptr);
  moved.Remove("b");
  EXPECT_EQ(moved.metadata().size(), 1U);
  EXPECT_TRUE(moved.Delete("tensor.0"));
}

}  // namespace
}  // namespace hearth::gms
