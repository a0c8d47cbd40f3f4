#include "grove/initc/parents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"

namespace hearth::grove::initc {
namespace {

using testing::HasSubstr;

TEST(Parents, AreReadFromArguments) {
  const auto parents = ParseParents({"s-0-router:1", "s-0-g-0-ldr:3", "s-0-router:2"});
  ASSERT_OK(parents);
  EXPECT_EQ(*parents, (Parents{{"s-0-router", 2}, {"s-0-g-0-ldr", 3}}));
}

TEST(Parents, WhatCannotBeReadIsNamed) {
  for (const char* const text : {"", "s-0-a", "s-0-a:", ":1", "s-0-a:0", "s-0-a:-1", "s-0-a:1x",
                                 "s-0-a: 1", "s a:1", "a,b:1", "s-0-a:4294967297"}) {
    const auto parents = ParseParents({"ok:1", text});
    EXPECT_TRUE(parents.status().Is(Code::kInvalid)) << text;
    EXPECT_THAT(parents.status().message(), HasSubstr("\"" + std::string(text) + "\""));
  }
}

TEST(Parents, OnlyTheirPodsAreAskedFor) {
  EXPECT_EQ(PodSelector("s-0", {{"s-0-a", 1}, {"s-0-b", 2}}),
            "grove.io/podgang=s-0,grove.io/podclique in (s-0-a,s-0-b)");
}

TEST(Parents, ThoseWithTooFewReadyPodsAreMissing) {
  const Parents parents = {{"a", 1}, {"b", 2}, {"c", 2}};
  EXPECT_EQ(StillMissing(parents, {}), "a 0 of 1, b 0 of 2, c 0 of 2");
  EXPECT_EQ(StillMissing(parents, {{"a", 4}, {"b", 1}, {"c", 2}, {"d", 9}}), "b 1 of 2");
  EXPECT_EQ(StillMissing(parents, {{"a", 1}, {"b", 2}, {"c", 3}}), "");
}

}  // namespace
}  // namespace hearth::grove::initc
