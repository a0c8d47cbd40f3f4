#include "snapshot/operator/namespaces.h"

#include <gtest/gtest.h>

namespace hearth::snapshot {
namespace {

// A103: restricted match, mismatch, none; excluded, ephemeral, normal.
TEST(Namespaces, ARestrictedOperatorLooksAfterItsOwn) {
  const Namespaces one{"team-a", {"team-a"}};
  EXPECT_TRUE(one.Include("team-a"));
  EXPECT_FALSE(one.Include("team-b"));
  EXPECT_FALSE(one.Include(""));
}

TEST(Namespaces, AClusterWideOneLeavesOutWhatOthersLookAfter) {
  const Namespaces all{"", {"team-a", "*ephemeral*", "ci-*", "*-old"}};
  EXPECT_FALSE(all.Include("team-a"));
  EXPECT_FALSE(all.Include("my-ephemeral-1"));
  EXPECT_FALSE(all.Include("ci-7"));
  EXPECT_FALSE(all.Include("prod-old"));
  EXPECT_TRUE(all.Include("team-ab"));
  EXPECT_TRUE(all.Include("a-ci-7"));
  EXPECT_TRUE(all.Include("old"));
  EXPECT_TRUE(Namespaces().Include("anything"));
}

}  // namespace
}  // namespace hearth::snapshot
