#include "agent/files/left_out.h"

#include <gtest/gtest.h>

namespace hearth::agent {
namespace {

// A78: exclusions normalisation.
TEST(LeftOut, A78ExclusionsAreRelativeToTheRootUnlessTheyBeginWithAStar) {
  EXPECT_EQ(NormalizeExclusion("/proc"), "./proc");
  EXPECT_EQ(NormalizeExclusion("proc"), "./proc");
  EXPECT_EQ(NormalizeExclusion("./proc"), "./proc");
  EXPECT_EQ(NormalizeExclusion("/var/cache/"), "./var/cache");
  EXPECT_EQ(NormalizeExclusion("*/.cache/huggingface"), "*/.cache/huggingface");
  EXPECT_EQ(NormalizeExclusion("*.pyc"), "*.pyc");
  EXPECT_EQ(NormalizeExclusion(".hidden"), "./.hidden");
  EXPECT_EQ(NormalizeExclusion(" "), "");
  EXPECT_EQ(NormalizeExclusion("/"), "");
}

TEST(LeftOut, DefaultsOfTheAgentCoverWhatTarExcludes) {
  const LeftOut left_out(
      {"/proc", "/sys", "/dev", "*/.cache/huggingface", "*/__pycache__", "*.pyc"}, {});
  EXPECT_TRUE(left_out.Covers("proc"));
  EXPECT_TRUE(left_out.Covers("proc/1/maps"));
  EXPECT_FALSE(left_out.Covers("process"));
  EXPECT_FALSE(left_out.Covers("home/proc"));
  EXPECT_TRUE(left_out.Covers("root/.cache/huggingface"));
  EXPECT_TRUE(left_out.Covers("root/.cache/huggingface/hub/model"));
  EXPECT_TRUE(left_out.Covers(".cache/huggingface"));
  EXPECT_FALSE(left_out.Covers("root/.cache/huggingface2"));
  EXPECT_TRUE(left_out.Covers("usr/lib/__pycache__/a.bin"));
  EXPECT_TRUE(left_out.Covers("a.pyc"));
  EXPECT_TRUE(left_out.Covers("a/b.pyc"));
  EXPECT_FALSE(left_out.Covers("a/b.pyc2"));
  EXPECT_FALSE(left_out.Covers(""));
}

TEST(LeftOut, WhoWalksDownAsksOnlyAboutWhatIsNew) {
  const LeftOut left_out({"/var/log"}, {});
  EXPECT_TRUE(left_out.CoversItself("var/log"));
  EXPECT_FALSE(left_out.CoversItself("var/log/messages"));
}

TEST(LeftOut, AStarMatchesSlashes) {
  const LeftOut left_out({"/var/*.log", "/tmp/a?c", "*/x*/y"}, {});
  EXPECT_TRUE(left_out.Covers("var/a/b.log"));
  EXPECT_TRUE(left_out.Covers("tmp/abc/d"));
  EXPECT_FALSE(left_out.Covers("tmp/abbc"));
  EXPECT_TRUE(left_out.Covers("1/2/x3/y"));
}

TEST(LeftOut, DestinationsOfVolumesAreNoPatterns) {
  const LeftOut left_out({}, {"/data[1]", "/etc/hosts", "*"});
  EXPECT_TRUE(left_out.Covers("data[1]/file"));
  EXPECT_FALSE(left_out.Covers("data1"));
  EXPECT_TRUE(left_out.Covers("etc/hosts"));
  EXPECT_FALSE(left_out.Covers("etc/hostname"));
}

}  // namespace
}  // namespace hearth::agent
