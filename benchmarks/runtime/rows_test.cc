#include "rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace hearth::bench {
namespace {

const Row& Find(const std::vector<Row>& rows, const std::string& bench) {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.bench == bench; });
  EXPECT_NE(found, rows.end()) << bench;
  static const Row kNone;
  return found == rows.end() ? kNone : *found;
}

TEST(Rows, EveryBenchHasANameOfItsOwn) {
  const std::vector<Row> rows = MakeRows({}, Plan(), {});
  std::set<std::string> seen;
  for (const Row& row : rows) {
    EXPECT_TRUE(seen.insert(row.bench).second) << row.bench;
  }
}

TEST(Rows, BudgetIsAPartOfItsLimit) {
  Samples samples;
  samples.Add(names::kOurs, metric::kBytesPerPod, 350);
  const Row row = Find(MakeRows(samples, Plan(), {}), "runtime.rss_per_pod");
  ASSERT_TRUE(row.ratio.has_value());
  EXPECT_DOUBLE_EQ(row.ratio->median, 0.5);
  EXPECT_TRUE(row.Met());
}

TEST(Rows, LessMemoryAndMoreReconcilesThanAPeerAreBothAboveOne) {
  Samples samples;
  samples.Add(names::kOurs, metric::kBytesPerPod, 500);
  samples.Add(names::kGo, metric::kBytesPerPod, 10000);
  samples.Add(names::kOurs, metric::kReconcilesPerSecond, 300);
  samples.Add(names::kGo, metric::kReconcilesPerSecond, 100);
  const std::vector<Row> rows = MakeRows(samples, Plan(), {});
  EXPECT_DOUBLE_EQ(Find(rows, "D8").ratio->median, 20);
  EXPECT_DOUBLE_EQ(Find(rows, "runtime.reconciles.controller-runtime").ratio->median, 3);
}

TEST(Rows, AdmissionAndConversionHaveBudgets) {
  Samples samples;
  samples.Add(names::kOurs, metric::kAdmissionP99Seconds, 0.0005);
  samples.Add(names::kOurs, metric::kToBetaSeconds, 0.0001);
  const std::vector<Row> rows =
      MakeRows(samples, Plan(), {{names::kUpstream, {}, "cannot be had"}});
  EXPECT_DOUBLE_EQ(Find(rows, "api.admission").ratio->median, 0.5);
  EXPECT_FALSE(Find(rows, "api.conversion").Met());
  EXPECT_EQ(Find(rows, "D12").not_run, "cannot be had");
}

TEST(Rows, MissingPeerIsToldWithItsReason) {
  Samples samples;
  samples.Add(names::kOurs, metric::kResidentBytes, 1);
  const std::vector<Row> rows =
      MakeRows(samples, Plan(), {{names::kRust, {}, "cargo is not installed"}});
  EXPECT_EQ(Find(rows, "runtime.rss.kube-rs").not_run, "cargo is not installed");
  EXPECT_FALSE(Find(rows, "runtime.rss.kube-rs").ratio.has_value());
}

}  // namespace
}  // namespace hearth::bench
