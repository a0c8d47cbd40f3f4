#include "agent/criu/oldest_version.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"

namespace hearth::agent::criu {
namespace {

// 10.6: an old CRIU is refused before anything is done with it.
TEST(OldestVersion, OlderOnesAreRefusedByName) {
  EXPECT_OK(CheckAge({.major = 4, .minor = 2}));
  EXPECT_OK(CheckAge({.major = 4, .minor = 2, .sublevel = 1}));
  EXPECT_OK(CheckAge({.major = 5, .minor = 0}));
  for (const Version& old : {Version{.major = 4, .minor = 1}, Version{.major = 3, .minor = 19}}) {
    EXPECT_CODE(Code::kUnsupported, CheckAge(old));
  }
  EXPECT_THAT(CheckAge({.major = 3, .minor = 17, .sublevel = 1}).message(),
              testing::AllOf(testing::HasSubstr("CRIU 3.17"),
                             testing::HasSubstr(std::string(kOldestVersion) + " or newer")));
}

}  // namespace
}  // namespace hearth::agent::criu
