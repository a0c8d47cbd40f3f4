#include "agent/restore/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/restore/cgroups.h"
#include "base/testing/status_matchers.h"

namespace hearth::agent {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

snapshot::Manifest Captured() {
  snapshot::Manifest manifest;
  manifest.checkpoint_id = "hash";
  manifest.criu_settings =
      json::Value::Object({{"workDir", "/var/work"}, {"manageCgroupsMode", "ignore"}});
  manifest.external_mounts = {{"/", "/"}, {"/data", "/data"}};
  manifest.external = {"net[4026532281]:extNetNs"};
  manifest.skipped_mounts = {"/run/x"};
  manifest.source.stdio = {"/dev/null", "pipe:[5]", "pipe:[5]"};
  return manifest;
}

TEST(RestorePlan, IsWhatTheManifestSays) {
  ASSERT_OK_AND_ASSIGN(const RestorePlan plan,
                       PlanRestore(Captured(), {.cgroup_root = "/kubepods/c"}));
  EXPECT_EQ(plan.request.settings.manage_cgroups, "ignore");
  EXPECT_EQ(plan.request.cgroup_root, "/kubepods/c");
  ASSERT_EQ(plan.request.external_mounts.size(), 2U);
  EXPECT_EQ(plan.request.external_mounts[0].key, "/");
  EXPECT_EQ(plan.request.external_mounts[0].value, ".");
  EXPECT_THAT(plan.request.skipped_mounts, ElementsAre("/run/x"));
  ASSERT_EQ(plan.inherited.size(), 2U) << "the network, and one pipe for both outputs";
  EXPECT_EQ(plan.inherited[0].key, "extNetNs");
  // W22: whose numbers the container's processes have does not matter, nor who takes one meanwhile.
  EXPECT_EQ(plan.inherited[0].path, "/proc/self/ns/net") << "the one that was entered";
  EXPECT_EQ(plan.inherited[1].key, "pipe:[5]");
  EXPECT_EQ(plan.inherited[1].path, "") << "taken, not opened";
  EXPECT_EQ(plan.inherited[1].descriptor, 1);
}

// A85
TEST(RestorePlan, KnowsBothPodsAddresses) {
  snapshot::Manifest manifest = Captured();
  manifest.source.pod_ips = {"10.0.0.4", "fd00::4"};
  ASSERT_OK_AND_ASSIGN(RestorePlan plan, PlanRestore(manifest, {.pod_ips = {"10.0.0.5"}}));
  EXPECT_THAT(plan.source_ips, testing::ElementsAre("10.0.0.4", "fd00::4"));
  EXPECT_THAT(plan.target_ips, testing::ElementsAre("10.0.0.5"));
  EXPECT_TRUE(plan.connections);
  manifest.criu_settings = json::Value::Object({{"tcpEstablished", false}});
  ASSERT_OK_AND_ASSIGN(plan, PlanRestore(manifest, {}));
  EXPECT_FALSE(plan.connections);
}

TEST(RestorePlan, OfAManifestThatIsNotWholeIsRefused) {
  snapshot::Manifest manifest = Captured();
  manifest.external_mounts.clear();
  EXPECT_CODE(Code::kInvalid, PlanRestore(manifest, {}));
  manifest = Captured();
  manifest.criu_settings = json::Value::Object({{"tcpClose", 5}});
  EXPECT_THAT(PlanRestore(manifest, {}).status().ToString(), HasSubstr("tcpClose"));
}

TEST(Cgroups, OfAProcessThatIsGoneCannotBeJoined) {
  EXPECT_CODE(Code::kNotFound, JoinCgroupsOf(0x7ffffff0, {}));
}

}  // namespace
}  // namespace hearth::agent
