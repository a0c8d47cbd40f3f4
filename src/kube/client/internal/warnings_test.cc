#include "kube/client/internal/warnings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hearth::kube::internal {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Warnings, AreUnquoted) {
  EXPECT_THAT(ParseWarnings({{"Warning", R"(299 - "unknown field \"spec.bogus\"")"}}),
              ElementsAre(R"(unknown field "spec.bogus")"));
  EXPECT_THAT(
      ParseWarnings({{"Warning", R"(299 - "a, b", 299 agent "c" "Sun, 06 Nov 1994 08:49:37 GMT")"},
                     {"warning", R"(299 - "d")"}}),
      ElementsAre("a, b", "c", "d"));
}

TEST(Warnings, OtherCodesAndNonsenseAreNothing) {
  EXPECT_THAT(ParseWarnings({{"Warning", R"(199 - "a")"},
                             {"Warning", "299 - a"},
                             {"Warning", "299 - \""},
                             {"Warning", "299 - \"\""},
                             {"Warning", ""}}),
              IsEmpty());
  EXPECT_THAT(ParseWarnings({{"Warning", "299 - \"a\\"}}), ElementsAre("a\\"));
}

TEST(WarningLog, TellsEachOnce) {
  std::vector<std::string> told;
  WarningLog log([&](std::string_view text) { told.emplace_back(text); });
  log.Note({{"Warning", R"(299 - "a")"}});
  log.Note({{"Warning", R"(299 - "a")"}, {"Warning", R"(299 - "b")"}});
  log.Note({});
  EXPECT_THAT(told, ElementsAre("a", "b"));
}

TEST(WarningLog, MemoryIsBoundedSoOldOnesMayComeAgain) {
  int told = 0;
  WarningLog log([&](std::string_view) { ++told; });
  for (int i = 0; i < 1000; ++i) {
    log.Note({{"Warning", "299 - \"" + std::to_string(i) + "\""}});
  }
  EXPECT_EQ(told, 1000);
  log.Note({{"Warning", "299 - \"0\""}});
  EXPECT_EQ(told, 1001);
}

TEST(WarningLog, WithoutReceiverNothingHappens) {
  WarningLog log(nullptr);
  log.Note({{"Warning", R"(299 - "a")"}});
}

}  // namespace
}  // namespace hearth::kube::internal
