#include "agent/host/mount_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/testing/status_matchers.h"

namespace hearth::agent {
namespace {

using testing::ElementsAre;
using testing::Pair;
using testing::UnorderedElementsAre;

std::vector<MountEntry> Mounts(std::initializer_list<std::pair<const char*, const char*>> points) {
  std::vector<MountEntry> mounts;
  for (const auto& [point, type] : points) {
    mounts.push_back({.mount_point = point, .type = type});
  }
  return mounts;
}

RootView PlainRoot(const std::vector<std::string>& files = {},
                   std::map<std::string, std::string> links = {}) {
  return {.resolve =
              [links](const std::string& path) {
                const auto link = links.find(path);
                return link == links.end() ? path : link->second;
              },
          .exists =
              [files](const std::string& path) {
                return std::find(files.begin(), files.end(), path) != files.end() ||
                       std::find(files.begin(), files.end(), path + "/") != files.end();
              },
          .is_directory =
              [files](const std::string& path) {
                return std::find(files.begin(), files.end(), path + "/") != files.end();
              }};
}

// A75: what the runtime was told to mount, masked and read-only paths included, is the pod's.
TEST(MountPolicy, WhatThePodBringsIsExternal) {
  const MountPlan plan = PlanMounts(
      Mounts({{"/", "overlay"}, {"/data", "ext4"}, {"/etc/hosts", "ext4"}}), {}, PlainRoot());
  EXPECT_THAT(plan.external, ElementsAre(Pair("/", "/"), Pair("/data", "/data"),
                                         Pair("/etc/hosts", "/etc/hosts")));
  EXPECT_TRUE(plan.skipped.empty());
}

// A76: below /proc, /sys and /run only what is nobody's is skipped.
TEST(MountPolicy, WhatTheRuntimeMadeByItselfIsSkipped) {
  const MountPlan plan = PlanMounts(
      Mounts({{"/proc", "proc"},
              {"/proc/driver/nvidia", "tmpfs"},
              {"/sys/fs/cgroup", "cgroup2"},
              {"/run/nvidia", "tmpfs"},
              {"/run/secrets", "tmpfs"},
              {"/runner", "ext4"}}),
      {.mounts = {"/proc", "/var/run/secrets"}, .readonly = {"/sys/fs/cgroup"}}, PlainRoot());
  EXPECT_THAT(plan.skipped, UnorderedElementsAre("/proc/driver/nvidia", "/run/nvidia"));
  EXPECT_TRUE(plan.external.contains("/run/secrets")) << "asked for as /var/run/secrets";
  EXPECT_TRUE(plan.external.contains("/sys/fs/cgroup"));
  EXPECT_TRUE(plan.external.contains("/runner"));
}

// W21: what is restored has a pid namespace of its own, and processes are shown as of one.
TEST(MountPolicy, ProcessesAreShownByWhoRestores) {
  const MountPlan plan = PlanMounts(Mounts({{"/proc", "proc"}, {"/proc/sys", "proc"}}),
                                    {.mounts = {"/proc"}, .readonly = {"/proc/sys"}}, PlainRoot());
  EXPECT_THAT(plan.external, ElementsAre(Pair("/proc/sys", "/proc/sys")));
  EXPECT_TRUE(plan.skipped.empty());
}

// A75, A77: /var/run is /run.
TEST(MountPolicy, LinksOfTheImageAreFollowed) {
  const MountPlan plan = PlanMounts(Mounts({{"/run/lock/app", "tmpfs"}}), {.mounts = {"/lock/app"}},
                                    PlainRoot({}, {{"/lock/app", "/run/lock/app"}}));
  EXPECT_TRUE(plan.external.contains("/run/lock/app"));
}

// A76: on a tmpfs; otherwise it is the pod's.
TEST(MountPolicy, SharedMemoryIsSaved) {
  const MountPlan plan =
      PlanMounts(Mounts({{"/dev/shm", "tmpfs"}}), {.mounts = {"/dev/shm"}}, PlainRoot());
  EXPECT_TRUE(plan.external.empty());
  EXPECT_TRUE(plan.skipped.empty());
  ASSERT_EQ(plan.decisions.size(), 1U);
  EXPECT_EQ(plan.decisions[0].fate, MountFate::kSaved);
  // A volume of the pod at that place is the pod's.
  EXPECT_TRUE(
      PlanMounts(Mounts({{"/dev/shm", "ext4"}}), {}, PlainRoot()).external.contains("/dev/shm"));
}

// A76: directories and what is not there are left alone.
TEST(MountPolicy, MaskedFilesAreNothing) {
  const MountPlan plan = PlanMounts(Mounts({{"/proc/kcore", "tmpfs"}, {"/proc/acpi", "tmpfs"}}),
                                    {.masked = {"/proc/kcore", "/proc/acpi", "/proc/absent"}},
                                    PlainRoot({"/proc/kcore", "/proc/acpi/"}));
  EXPECT_THAT(plan.external,
              ElementsAre(Pair("/proc/acpi", "/proc/acpi"), Pair("/proc/kcore", "/dev/null")));
}

// A83: the map of a restore.
TEST(MountPolicy, RestoresFindThemByName) {
  EXPECT_THAT(*RestoreMounts({{"/", "/"}, {"/a", "/a"}, {"/k", "/dev/null"}, {"/e", ""}}),
              ElementsAre(Pair("/", "."), Pair("/a", "/a"), Pair("/dev/null", "/dev/null")));
  EXPECT_CODE(Code::kInvalid, RestoreMounts({}));
}

}  // namespace
}  // namespace hearth::agent
