#include "gms/storage/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "gms/storage/testing/sample_weights.h"

namespace hearth::gms::storage {
namespace {

using testing::SizeIs;

class CompareTest : public testing::Test {
 protected:
  Artifact Saved(SampleWeights& weights) {
    const TempDirectory temp;
    EXPECT_TRUE(SaveSample(RealFileSystem(), temp.path(), {{0, &weights}}).ok());
    return ArtifactReader::Open(temp / "device-0", {}).value()->artifact();
  }
  SampleWeights weights_{1};
};

TEST_F(CompareTest, TellsWhatAnArtifactHolds) {
  const ArtifactSummary summary = Summarize(Saved(weights_));
  EXPECT_EQ(summary.version, 2);
  EXPECT_EQ(summary.allocations, 3U);
  EXPECT_EQ(summary.chunks, 40U);
  EXPECT_EQ(summary.bytes, 40 * SampleWeights::kGranularity);
  EXPECT_EQ(summary.zero_bytes, 2 * SampleWeights::kGranularity);
  EXPECT_EQ(summary.metadata_keys, 3U);
  EXPECT_EQ(summary.root_digest.size(), 32U);
}

TEST_F(CompareTest, AnArtifactIsTheSameAsItself) {
  const Artifact artifact = Saved(weights_);
  EXPECT_TRUE(Compare(artifact, artifact).same());
  EXPECT_TRUE(Compare(artifact, artifact).same_layout);
}

TEST_F(CompareTest, TellsWhichChunksAndKeysDiffer) {
  const Artifact a = Saved(weights_);
  Artifact b = a;
  b.chunks.chunks[5 + 2 + 7].digest.low ^= 1;
  b.metadata[1].value = "changed";
  b.metadata.pop_back();
  const ArtifactDiff diff = Compare(a, b);
  ASSERT_THAT(diff.allocations, SizeIs(1));
  EXPECT_EQ(diff.allocations[0].rank, 2U);
  EXPECT_EQ(diff.allocations[0].change, Change::kContents);
  EXPECT_THAT(diff.allocations[0].chunks, testing::ElementsAre(7));
  ASSERT_THAT(diff.metadata, SizeIs(2));
  EXPECT_EQ(diff.metadata[0].change, Change::kContents);
  EXPECT_EQ(diff.metadata[1].change, Change::kOnlyInA);
  EXPECT_FALSE(diff.same_layout);
}

TEST_F(CompareTest, TellsOtherShapesAndMissingOnes) {
  SampleWeights other(1, {5, 3});
  const ArtifactDiff diff = Compare(Saved(weights_), Saved(other));
  ASSERT_THAT(diff.allocations, SizeIs(2));
  EXPECT_EQ(diff.allocations[0].change, Change::kShape);
  EXPECT_EQ(diff.allocations[1].change, Change::kOnlyInA);
  EXPECT_EQ(ChangeName(diff.allocations[1].change), "only-in-a");
}

TEST_F(CompareTest, WithoutDigestsItDoesNotGuess) {
  const Artifact a = Saved(weights_);
  Artifact b = a;
  b.chunks.chunks.clear();
  EXPECT_EQ(Compare(a, b).allocations.at(0).change, Change::kUnknown);
}

}  // namespace
}  // namespace hearth::gms::storage
