#include "dynamo/checkpoint/checkpoint_retry.h"

#include <gtest/gtest.h>

#include "json/time.h"

namespace hearth::dynamo {
namespace {

namespace dyn = api::dynamo;
using std::chrono::seconds;

constexpr const char* kThen = "2026-11-18T10:00:00Z";

WallTime After(int passed) { return json::Time::Parse(kThen)->at + seconds(passed); }

CheckpointFacts Failed(const std::string& reason = "JobFailed") {
  CheckpointFacts facts;
  facts.automatic = true;
  facts.artifact_version = "1";
  facts.status.phase = dyn::CheckpointPhase::kFailed;
  api::Condition& condition = facts.status.conditions.emplace_back();
  condition.type = "JobCompleted";
  condition.status = "False";
  condition.reason = reason;
  condition.message = "the node went away";
  condition.last_transition_time = kThen;
  return facts;
}

// P6: a bounded number of times, with growing pauses, and a record of what happened.
TEST(CheckpointRetry, TriesAgainAfterAPause) {
  const auto early = NextTry(Failed(), {}, After(10));
  ASSERT_TRUE(early);
  EXPECT_EQ(early->wait, seconds(20));
  const auto due = NextTry(Failed(), {}, After(31));
  EXPECT_EQ(due->wait, Duration::zero());
  EXPECT_EQ(due->version, "2");
  EXPECT_EQ(due->record, "1: JobFailed: the node went away");
  CheckpointFacts second = Failed("PodSnapshotFailed");
  second.artifact_version = "2";
  second.tries = due->record;
  const auto later = NextTry(second, {}, After(31));
  EXPECT_EQ(later->wait, seconds(89));
  EXPECT_EQ(later->record,
            "1: JobFailed: the node went away\n2: PodSnapshotFailed: the node went away");
  CheckpointFacts third = second;
  third.tries = later->record;
  EXPECT_FALSE(NextTry(third, {}, After(9999)));
}

TEST(CheckpointRetry, NotWhatWouldFailAgainNorWhatNobodyAskedFor) {
  EXPECT_FALSE(NextTry(Failed("GMSPodTemplateNotPrepared"), {}, After(99)));
  EXPECT_FALSE(NextTry(Failed("CheckpointIDConflict"), {}, After(99)));
  CheckpointFacts manual = Failed();
  manual.automatic = false;
  EXPECT_FALSE(NextTry(manual, {}, After(99)));
  manual.retries = "1";
  EXPECT_TRUE(NextTry(manual, {}, After(99)));
  CheckpointFacts never = Failed();
  never.retries = "0";
  EXPECT_FALSE(NextTry(never, {}, After(99)));
  CheckpointFacts named = Failed();
  named.artifact_version = "spring";
  EXPECT_FALSE(NextTry(named, {}, After(99)));
}

}  // namespace
}  // namespace hearth::dynamo
