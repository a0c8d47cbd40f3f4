#include "gms/storage/shard_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "base/testing/status_matchers.h"

namespace hearth::gms::storage {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(PlanShards, ClosesAShardThatTheNextOneWouldMakeTooLarge) {
  const std::vector<uint64_t> sizes = {6, 6, 4, 20, 2};
  EXPECT_THAT(PlanShards(sizes, 12),
              ElementsAre(Extent{0, 0}, Extent{0, 6}, Extent{1, 0}, Extent{2, 0}, Extent{3, 0}));
}

TEST(PlanShards, DoesNotWrapAroundForAbsurdSizes) {
  const std::vector<uint64_t> sizes = {1, UINT64_MAX - 1, 5};
  EXPECT_THAT(PlanShards(sizes, 10), ElementsAre(Extent{0, 0}, Extent{1, 0}, Extent{2, 0}));
}

TEST(ShardRootSuffix, KeepsTheVersionsFolderOrFlattensThePath) {
  EXPECT_EQ(ShardRootSuffix("/checkpoints/gms/abc/versions/7"), "abc/versions/7");
  EXPECT_EQ(ShardRootSuffix("/data/my/dir/"), "data_my_dir");
  EXPECT_EQ(ShardRootSuffix("/data/../../etc"), "data_etc");
  EXPECT_EQ(ShardRootSuffix("/x/versions"), "x_versions");
}

// D05: 142 equal groups into 8 buckets.
TEST(Balance, PutsEveryFileIntoExactlyOneBucket) {
  const std::vector<uint64_t> sizes(142, 7);
  const auto buckets = Balance(sizes, 8);
  ASSERT_EQ(buckets.size(), 8U);
  std::multiset<size_t> seen;
  for (const auto& bucket : buckets) {
    EXPECT_GE(bucket.size(), 17U);
    seen.insert(bucket.begin(), bucket.end());
  }
  std::vector<size_t> all(142);
  std::iota(all.begin(), all.end(), size_t{0});
  EXPECT_THAT(seen, testing::ElementsAreArray(all));
}

// D06: 10, 6, 6, 1, 1 into 2 buckets gives 12 and 12.
TEST(Balance, FillsTheLeastFilledWithTheLargestFirst) {
  const std::vector<uint64_t> sizes = {10, 6, 6, 1, 1};
  std::vector<uint64_t> sums;
  for (const auto& bucket : Balance(sizes, 2)) {
    sums.push_back(std::accumulate(bucket.begin(), bucket.end(), uint64_t{0},
                                   [&](uint64_t sum, size_t i) { return sum + sizes[i]; }));
  }
  EXPECT_THAT(sums, ElementsAre(12, 12));
}

TEST(Balance, MakesNoEmptyBuckets) {
  EXPECT_EQ(Balance(std::vector<uint64_t>{1, 2}, 8).size(), 2U);
  EXPECT_TRUE(Balance({}, 8).empty());
}

// D08: two roots with two queues each.
TEST(PlanRootQueues, GivesEveryRootItsOwnBalancedQueues) {
  const std::vector<std::string> files = {"/a/0", "/b/1", "/a/2", "/b/3", "/a/4", "/b/5"};
  const std::vector<uint64_t> sizes = {8, 12, 4, 8, 4, 4};
  const std::vector<std::string> roots = {"/a", "/b"};
  ASSERT_OK_AND_ASSIGN(const auto queues, PlanRootQueues(files, sizes, roots, 2));
  std::vector<std::string> names;
  std::vector<uint64_t> sums;
  for (const FileQueue& queue : queues) {
    names.push_back(queue.name);
    sums.push_back(queue.bytes);
  }
  EXPECT_THAT(names, ElementsAre("/a#q0", "/a#q1", "/b#q0", "/b#q1"));
  EXPECT_THAT(sums, ElementsAre(8, 8, 12, 12));
}

// D09: a file outside all roots.
TEST(PlanRootQueues, RefusesAFileOutsideAllRoots) {
  const std::vector<std::string> roots = {"/a"};
  const auto queues =
      PlanRootQueues(std::vector<std::string>{"/ab/x"}, std::vector<uint64_t>{1}, roots, 2);
  EXPECT_CODE(Code::kInvalid, queues);
  EXPECT_THAT(std::string(queues.status().message()), HasSubstr("/ab/x"));
  EXPECT_CODE(Code::kInvalid, PlanRootQueues({}, {}, {}, 2));
}

TEST(ParseRoots, TakesCommasAndSemicolons) {
  EXPECT_THAT(*ParseRoots(" /a/ ,/b;;/c"), ElementsAre("/a", "/b", "/c"));
  EXPECT_TRUE(ParseRoots("")->empty());
  EXPECT_CODE(Code::kInvalid, ParseRoots("a"));
  EXPECT_CODE(Code::kInvalid, ParseRoots("/a,/a/"));
}

// Shards below such a root have paths that no reader takes.
TEST(ParseRoots, RefusesPathsWithPartsThatAreNoNames) {
  for (const char* root : {"/t//root", "//root", "/t/./root", "/t/../root", "/t/root/..", "/."}) {
    SCOPED_TRACE(root);
    EXPECT_CODE(Code::kInvalid, ParseRoots(root));
  }
  EXPECT_THAT(*ParseRoots("/t/root//,/.t/..r"), ElementsAre("/t/root", "/.t/..r"));
}

}  // namespace
}  // namespace hearth::gms::storage
