#include "controller/pass.h"

#include <gtest/gtest.h>

#include "json/parse.h"

namespace hearth::controller {
namespace {

bool Needs(std::string_view cached, std::string_view desired) {
  const auto have = json::Parse(cached);
  const auto want = json::Parse(desired);
  EXPECT_TRUE(have.ok() && want.ok());
  return NeedsApply(have->view(), want->view());
}

// Trap 7: writes that would change nothing are not sent.
TEST(NeedsApply, DefaultsAndOtherOwnersFieldsDoNotCount) {
  EXPECT_FALSE(Needs(
      R"({"metadata":{"labels":{"a":"b","theirs":"x"}},"spec":{"replicas":1,"policy":"Default"}})",
      R"({"apiVersion":"v1","kind":"X","metadata":{"name":"n","namespace":"ns","labels":{"a":"b"}},"spec":{"replicas":1}})"));
}

TEST(NeedsApply, SpellingsOfTheSameValueDoNotCount) {
  EXPECT_FALSE(
      Needs(R"({"spec":{"containers":[{"name":"a","resources":{"limits":{"cpu":"1"}}}]}})",
            R"({"spec":{"containers":[{"name":"a","resources":{"limits":{"cpu":"1000m"}}}]}})"));
  EXPECT_FALSE(Needs(R"({"spec":{}})", R"({"spec":{"selector":{}}})"));
  EXPECT_FALSE(Needs(R"({"spec":{"x":1}})", R"({"spec":{"x":1.0}})"));
}

TEST(NeedsApply, ReorderedMapListsDoNotCount) {
  EXPECT_FALSE(
      Needs(R"({"spec":{"containers":[{"name":"b","image":"2"},{"name":"a","image":"1"}]}})",
            R"({"spec":{"containers":[{"name":"a","image":"1"},{"name":"b","image":"2"}]}})"));
}

TEST(NeedsApply, ChangedValuesCount) {
  EXPECT_TRUE(Needs(R"({"spec":{"replicas":1}})", R"({"spec":{"replicas":2}})"));
  EXPECT_TRUE(Needs(R"({"spec":{}})", R"({"spec":{"replicas":0}})"));
  EXPECT_TRUE(Needs(R"({"metadata":{}})", R"({"metadata":{"labels":{"a":"b"}}})"));
}

TEST(NeedsApply, AFieldGivenUpIsNoticedByTheStamp) {
  EXPECT_TRUE(Needs(
      R"({"metadata":{"annotations":{"hearth.dev/applied":"1"}},"spec":{"replicas":1,"old":2}})",
      R"({"metadata":{"annotations":{"hearth.dev/applied":"2"}},"spec":{"replicas":1}})"));
  EXPECT_FALSE(Needs(
      R"({"metadata":{"annotations":{"hearth.dev/applied":"2"}},"spec":{"replicas":1,"old":2}})",
      R"({"metadata":{"annotations":{"hearth.dev/applied":"2"}},"spec":{"replicas":1}})"));
}

TEST(NeedsApply, AdoptingWhatIsRightAlreadyCostsNothing) {
  EXPECT_FALSE(
      Needs(R"({"spec":{"replicas":1}})",
            R"({"metadata":{"annotations":{"hearth.dev/applied":"2"}},"spec":{"replicas":1}})"));
}

}  // namespace
}  // namespace hearth::controller
