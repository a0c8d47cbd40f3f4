#include "controller/conditions.h"

#include <gtest/gtest.h>

#include <string>

#include "base/testing/status_matchers.h"
#include "json/parse.h"

namespace hearth::controller {
namespace {

json::Time At(int64_t seconds) { return {WallTime(std::chrono::seconds(seconds))}; }

json::Value Parsed(const std::string& text) {
  Result<json::Value> value = json::ParseValue(text);
  EXPECT_OK(value);
  return value.ok() ? *value : json::Value();
}

const Condition kReady{"Ready", "True", "AllThere", "3 of 3 are ready", 7};

TEST(Conditions, FirstOneMakesTheArray) {
  const json::Value expected = Parsed(
      R"([{"type":"Ready","status":"True","observedGeneration":7,
           "lastTransitionTime":"1970-01-01T00:00:05Z","reason":"AllThere",
           "message":"3 of 3 are ready"}])");
  EXPECT_EQ(SetCondition(json::View(), kReady, At(5)), expected);
  EXPECT_EQ(SetCondition(json::Value(), kReady, At(5)), expected);
}

TEST(Conditions, TransitionTimeStaysWhileTheStatusStays) {
  const json::Value before = SetCondition(json::View(), kReady, At(5));
  Condition wanted = kReady;
  wanted.reason = "Other";
  wanted.message = "other words";
  wanted.observed_generation = 8;
  const json::Value after = SetCondition(before, wanted, At(99));
  EXPECT_EQ(*after.items()[0].Find("lastTransitionTime"), json::Value("1970-01-01T00:00:05Z"));
  EXPECT_EQ(*after.items()[0].Find("reason"), json::Value("Other"));
  EXPECT_EQ(*after.items()[0].Find("observedGeneration"), json::Value(8));
}

TEST(Conditions, SettingTheSameAgainChangesNothing) {
  const json::Value before = SetCondition(json::View(), kReady, At(5));
  EXPECT_EQ(SetCondition(before, kReady, At(99)).Write(), before.Write());
}

TEST(Conditions, TransitionTimeMovesWithTheStatus) {
  const json::Value before = SetCondition(json::View(), kReady, At(5));
  Condition wanted = kReady;
  wanted.status = "False";
  const json::Value after = SetCondition(before, wanted, At(60));
  EXPECT_EQ(*after.items()[0].Find("lastTransitionTime"), json::Value("1970-01-01T00:01:00Z"));
}

TEST(Conditions, OthersAndTheirOrderStay) {
  const json::Value before = Parsed(
      R"([{"type":"A","status":"True","x":1},{"type":"Ready","status":"False",
           "lastTransitionTime":"1970-01-01T00:00:01Z"},{"type":"B","status":"Unknown"}])");
  const json::Value after = SetCondition(before, kReady, At(5));
  ASSERT_EQ(after.items().size(), 3U);
  EXPECT_EQ(after.items()[0], before.items()[0]);
  EXPECT_EQ(after.items()[2], before.items()[2]);
  EXPECT_EQ(*after.items()[1].Find("status"), json::Value("True"));
}

TEST(Conditions, MissingTransitionTimeIsSet) {
  const json::Value after =
      SetCondition(Parsed(R"([{"type":"Ready","status":"True"}])"), kReady, At(5));
  EXPECT_EQ(*after.items()[0].Find("lastTransitionTime"), json::Value("1970-01-01T00:00:05Z"));
}

TEST(Conditions, WhatIsNoArrayIsReplaced) {
  EXPECT_EQ(SetCondition(Parsed(R"({"a":1})"), kReady, At(5)).items().size(), 1U);
}

TEST(Conditions, FindsByType) {
  const std::string text = SetCondition(json::View(), kReady, At(5)).Write();
  const json::View conditions = json::View::Trusted(text);
  const std::optional<Condition> found = FindCondition(conditions, "Ready");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->reason, "AllThere");
  EXPECT_EQ(found->message, "3 of 3 are ready");
  EXPECT_EQ(found->observed_generation, 7);
  EXPECT_FALSE(FindCondition(conditions, "Other").has_value());
  EXPECT_FALSE(FindCondition(json::View(), "Ready").has_value());
}

TEST(Conditions, OnlyTrueIsTrue) {
  const std::string text =
      R"([{"type":"A","status":"True"},{"type":"B","status":"False"},{"type":"C"}])";
  const json::View conditions = json::View::Trusted(text);
  EXPECT_TRUE(IsTrue(conditions, "A"));
  EXPECT_FALSE(IsTrue(conditions, "B"));
  EXPECT_FALSE(IsTrue(conditions, "C"));
  EXPECT_FALSE(IsTrue(conditions, "D"));
}

}  // namespace
}  // namespace hearth::controller
