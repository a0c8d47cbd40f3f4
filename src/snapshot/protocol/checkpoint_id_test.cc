#include "snapshot/protocol/checkpoint_id.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"

namespace hearth::snapshot {
namespace {

using testing::HasSubstr;

TEST(CheckpointId, IsALabelValueThatIsSafeAsAFolder) {
  for (const char* const id : {"a", "manual-snapshot-1", "Q_w.1", "0a1b"}) {
    EXPECT_OK(CheckCheckpointId(id));
  }
  for (const std::string& id :
       {std::string(), std::string("."), std::string(".."), std::string("../bad"),
        std::string("a/b"), std::string("a\\b"), std::string("a b"), std::string("-a"),
        std::string("a."), std::string("a\0b", 3), std::string(64, 'a'), std::string("ä")}) {
    EXPECT_EQ(CheckCheckpointId(id).code(), Code::kInvalid) << id;
  }
}

TEST(CheckpointId, ManualOnesAreOfTheTime) {
  EXPECT_EQ(ManualCheckpointId(WallTime(std::chrono::seconds(5))), "manual-snapshot-5000000000");
}

TEST(CheckpointId, JobsAreNamedByIdAndVersion) {
  // A28
  EXPECT_EQ(CheckpointJobName("hash", "2"), "checkpoint-job-hash-2");
  EXPECT_EQ(CheckpointJobName("hash", ""), "checkpoint-job-hash-1");
  EXPECT_EQ(CheckpointJobName("hash", " 3 "), "checkpoint-job-hash-3");
}

TEST(StorageLayout, PutsArtifactsUnderIdAndVersion) {
  // A11
  const auto layout = StorageLayout::Create("/checkpoints/");
  ASSERT_OK(layout.status());
  EXPECT_EQ(*layout->Artifact("hash", "2"), "/checkpoints/hash/versions/2");
  EXPECT_EQ(*layout->Staging("hash", "try-1"), "/checkpoints/hash/versions/tmp/try-1");
  EXPECT_EQ(*layout->Gms("hash", "2"), "/checkpoints/gms/hash/versions/2");
}

TEST(StorageLayout, ItsBaseIsAnAbsoluteFolder) {
  // A11; the root itself is refused, other than upstream's July version did.
  for (const char* const base : {"", "/", "//", "relative", "/a/../b", "/a//b", "/a/."}) {
    EXPECT_EQ(StorageLayout::Create(base).status().code(), Code::kInvalid) << base;
  }
}

TEST(StorageLayout, NothingLeadsOutOfIt) {
  const auto layout = StorageLayout::Create("/checkpoints");
  EXPECT_THAT(layout->Artifact("../bad", "1").status().ToString(), HasSubstr("'../bad'"));
  EXPECT_FALSE(layout->Artifact("id", "..").ok());
  EXPECT_FALSE(layout->Artifact("id", "a/b").ok());
  EXPECT_FALSE(layout->Artifact("id", "tmp").ok()) << "where others are being made";
  EXPECT_FALSE(layout->Artifact("gms", "1").ok()) << "where the memory service saves";
  EXPECT_FALSE(layout->Staging("id", "../x").ok());
}

}  // namespace
}  // namespace hearth::snapshot
