#include "rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "names.h"

namespace hearth::bench {
namespace {

const Row& Find(const std::vector<Row>& rows, const std::string& bench) {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.bench == bench; });
  EXPECT_NE(found, rows.end()) << bench;
  static const Row kNone;
  return found == rows.end() ? kNone : *found;
}

TEST(GroveRows, EveryBenchHasANameOfItsOwn) {
  std::set<std::string> seen;
  for (const Row& row : MakeRows({}, Plan())) {
    EXPECT_TRUE(seen.insert(row.bench).second) << row.bench;
  }
}

TEST(GroveRows, FasterThanUpstreamIsAboveOne) {
  Figures figures;
  figures.Add(Of(who::kOurs, figure::kCreated), 2);
  figures.Add(Of(who::kUpstream, figure::kCreated), 14);
  figures.Add(Of(who::kUnlimited, figure::kCreated), 2.5);
  const std::vector<Row> rows = MakeRows(figures, Plan());
  EXPECT_DOUBLE_EQ(Find(rows, "D1").ratio->median, 7);
  EXPECT_TRUE(Find(rows, "D1").Met());
  EXPECT_FALSE(Find(rows, "D1.unlimited").Met());
}

TEST(GroveRows, OneWriteOfASettledSetIsOneTooMany) {
  Figures figures;
  figures.Add(Of(who::kOurs, figure::kResyncWrites), 0);
  EXPECT_TRUE(Find(MakeRows(figures, Plan()), "D11").Met());
  Figures more;
  more.Add(Of(who::kOurs, figure::kResyncWrites), 1);
  EXPECT_FALSE(Find(MakeRows(more, Plan()), "D11").Met());
}

TEST(GroveRows, PeerThatCannotBeHadIsToldWithItsReason) {
  Figures figures;
  figures.Add(Of(who::kOurs, figure::kCreated), 2);
  figures.Add(Of(who::kOurs, figure::kRequests), 2);
  figures.Add(Of(who::kOurs, figure::kClaimRate), 2);
  NotRun(figures, who::kUpstream, "not in the registry");
  const std::vector<Row> rows = MakeRows(figures, Plan());
  for (const char* bench : {"D1", "D3", "D13.upstream"}) {
    EXPECT_EQ(Find(rows, bench).not_run, "not in the registry") << bench;
  }
}

TEST(GroveRows, GrowthComparesEachStepWithTheOneBefore) {
  Figures figures;
  figures.Add(At(figure::kGrowthRequests, 0), 4);
  figures.Add(At(figure::kGrowthRequests, 1), 6);
  const Row row = Find(MakeRows(figures, Plan()), "growth.requests.1000");
  EXPECT_DOUBLE_EQ(row.ratio->median, 1.5);
  EXPECT_FALSE(row.Met());
}

}  // namespace
}  // namespace hearth::bench
