#include "agent/node/start_proof.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hearth::agent::node {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::Each;
using testing::IsEmpty;
using testing::Pair;

RestoreProof Proof(Phases phases) { return {"lark/1", "digest-1", std::move(phases)}; }

// P5
TEST(StartProof, TellsFromWhatARestoredPodCameAndHowLongItTook) {
  const auto said = StartAnnotations("completed", {Proof({{"find", 12ms}, {"restore", 1734ms}})});
  EXPECT_THAT(said, Contains(Pair("hearth.dev/start", "restored")));
  EXPECT_THAT(said, Contains(Pair("hearth.dev/restored-from", "lark/1")));
  EXPECT_THAT(said, Contains(Pair("hearth.dev/restored-digest", "digest-1")));
  EXPECT_THAT(said, Contains(Pair("hearth.dev/restore-phases", "find=0.012,restore=1.734")));
  EXPECT_THAT(said, Contains(Pair("hearth.dev/start-reason", std::nullopt)));
}

TEST(StartProof, OfSeveralTargetsTheSlowestCounts) {
  const auto said = StartAnnotations(
      "completed", {Proof({{"restore", 1s}}), Proof({{"restore", 3s}}), Proof({{"restore", 2s}})});
  EXPECT_THAT(said, Contains(Pair("hearth.dev/restore-phases", "restore=3.000")));
  EXPECT_THAT(said, Contains(Pair("hearth.dev/restored-from", "lark/1")));
  EXPECT_THAT(said, Contains(Pair("hearth.dev/restored-digest", "digest-1")));
}

TEST(StartProof, NothingButACompletedRestoreMakesARestoredPod) {
  for (const char* const sum : {"failed", "in_progress", "waiting"}) {
    const auto said = StartAnnotations(sum, {Proof({{"restore", 1s}})});
    EXPECT_EQ(said.size(), 5U) << sum;
    for (const auto& [key, value] : said) {
      EXPECT_EQ(value, std::nullopt) << sum << " " << key;
    }
  }
}

TEST(StartProof, WhatAnotherAgentHasProvedStays) {
  EXPECT_THAT(StartAnnotations("completed", {}), IsEmpty());
}

TEST(StartProof, AnArtifactWithoutADigestHasNone) {
  const auto said = StartAnnotations("completed", {{"lark/1", "", {}}});
  EXPECT_THAT(said, Contains(Pair("hearth.dev/start", "restored")));
  EXPECT_THAT(said, Contains(Pair("hearth.dev/restored-digest", std::nullopt)));
  EXPECT_THAT(said, Contains(Pair("hearth.dev/restore-phases", std::nullopt)));
}

TEST(StartProof, SavedIsNeverLessThanNothing) {
  EXPECT_EQ(Saved(90s, 4s), 86s);
  EXPECT_EQ(Saved(3s, 4s), 0s);
  EXPECT_EQ(Saved(std::nullopt, 4s), 0s);
}

}  // namespace
}  // namespace hearth::agent::node
