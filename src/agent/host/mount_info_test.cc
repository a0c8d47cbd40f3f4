#include "agent/host/mount_info.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"

namespace hearth::agent {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

constexpr std::string_view kContainer =
    "612 497 0:52 / / rw,relatime shared:1 master:2 - overlay overlay "
    "rw,lowerdir=/l1:/l2,upperdir=/var/lib/up per/fs,workdir=/w\n"
    "613 612 0:55 / /proc rw,nosuid - proc proc rw\n"
    "614 612 0:56 /sub /data\\040dir\\134x rw - ext4 /dev/vda rw\n";

TEST(MountInfo, HasEveryFieldUnescaped) {
  std::string text(kContainer);
  text.replace(text.find("up per"), 6, "up\\040per");
  ASSERT_OK_AND_ASSIGN(const auto mounts, ParseMountInfo(text));
  ASSERT_THAT(mounts, SizeIs(3));
  EXPECT_EQ(mounts[0].id, 612);
  EXPECT_EQ(mounts[0].parent, 497);
  EXPECT_EQ(mounts[0].type, "overlay");
  EXPECT_EQ(mounts[1].mount_point, "/proc");
  EXPECT_EQ(mounts[2].mount_point, "/data dir\\x");
  EXPECT_EQ(mounts[2].root, "/sub");
  EXPECT_EQ(mounts[2].source, "/dev/vda");
  EXPECT_EQ(*OverlayUpperDirectory(mounts, mounts), "/var/lib/up per/fs");
}

TEST(MountInfo, LinesThatAreNoneAreNamed) {
  for (const char* const text : {"612 497 0:52 / /", "x 1 0:1 / / rw - t s o", "garbage",
                                 "1 2 0:1 / / rw -", "1 2 0:1 / / rw - proc proc"}) {
    EXPECT_CODE(Code::kInvalid, ParseMountInfo(text));
  }
  EXPECT_THAT(*ParseMountInfo(""), SizeIs(0));
}

TEST(MountInfo, OnlyAnOverlayTellsWhatChanged) {
  const auto verdict = [](std::string_view text) {
    const auto mounts = ParseMountInfo(text);
    return OverlayUpperDirectory(*mounts, *mounts).status().ToString();
  };
  EXPECT_THAT(verdict("1 0 8:1 / / rw - ext4 /dev/vda rw\n"), HasSubstr("ext4 on /dev/vda"));
  EXPECT_THAT(verdict("1 0 0:1 / /proc rw - proc proc rw\n"), HasSubstr("no root mount"));
  EXPECT_THAT(verdict("1 0 0:1 / / ro - overlay overlay ro,lowerdir=/a\n"),
              HasSubstr("cannot be written"));
}

TEST(MountInfo, TheLastRootCoversTheOthers) {
  const auto mounts = ParseMountInfo(
      "1 0 8:1 / / rw - ext4 /dev/vda rw\n"
      "2 1 0:9 / / rw - overlay overlay rw,upperdir=/u\n");
  EXPECT_EQ(*OverlayUpperDirectory(*mounts, *mounts), "/u");
}

TEST(MountInfo, WhereTheLayerIsTheContainerDoesNotSay) {
  const auto outside = ParseMountInfo(
      "7 1 0:52 / /run/task/1/rootfs rw - overlay overlay rw,upperdir=/layers/1\n"
      "8 1 0:53 / /run/task/2/rootfs rw - overlay overlay rw,upperdir=/layers/2\n"
      "9 1 0:60 / /mnt rw - tmpfs tmpfs rw,upperdir=/layers/1\n");
  const auto told = [&outside](std::string_view text) {
    return OverlayUpperDirectory(*ParseMountInfo(text), *outside);
  };
  EXPECT_EQ(*told("1 0 0:53 / / rw - overlay overlay rw,upperdir=/layers/1\n"), "/layers/2");
  for (const char* const made_itself : {"1 0 0:99 / / rw - overlay o rw,upperdir=/layers/1\n",
                                        "1 0 0:60 / / rw - overlay o rw,upperdir=/layers/1\n"}) {
    const auto refused = told(made_itself);
    EXPECT_CODE(Code::kUnsupported, refused);
    EXPECT_EQ(refused.status().reason(), "ForeignRoot");
  }
}

}  // namespace
}  // namespace hearth::agent
