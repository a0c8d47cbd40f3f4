#include "agent/capture/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"

namespace hearth::agent {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

CaptureFacts Facts() {
  CaptureFacts facts;
  facts.container = {
      .id = "c1",
      .pid = 77,
      .managed = {.mounts = {"/proc"}, .masked = {"/proc/kcore"}, .readonly = {"/proc/sys"}},
      .bind_destinations = {"/data"},
      .image = "img:1",
      .image_digest = "sha256:0"};
  facts.tree = {{.pid = 77, .name = "main", .ns_pids = {77, 1}},
                {.pid = 78, .parent = 77, .name = "child", .ns_pids = {78, 2}}};
  facts.root = "/proc/77/root";
  facts.upper_directory = "/up";
  facts.freezer = "/sys/fs/cgroup/c1";
  facts.network_namespace = 4026532281;
  facts.stdio = {"/dev/null", "pipe:[1]", "pipe:[2]"};
  facts.mount_plan = {.external = {{"/", "/"}, {"/proc/kcore", "/dev/null"}},
                      .skipped = {"/run/x"},
                      .decisions = {{"/", MountFate::kExternal, "root"}}};
  return facts;
}

CaptureOrder Order() {
  return {.checkpoint_id = "hash",
          .artifact_version = "2",
          .node = "node-a",
          .pod_name = "pod",
          .pod_namespace = "ns",
          .pod_uid = "uid",
          .pod_ips = {"10.0.0.1"},
          .container_name = "main",
          .exclusions = {"*.pyc"}};
}

TEST(CapturePlan, OfAContainerOfAnotherPodIsRefused) {
  CaptureFacts facts = Facts();
  facts.container.in_pod.pod_uid = "uid";
  EXPECT_OK(PlanCapture(facts, Order(), {}, WallTime()).status());
  facts.container.in_pod.pod_uid = "another";
  EXPECT_CODE(Code::kConflict, PlanCapture(facts, Order(), {}, WallTime()));
}

// CRIU would hold every connection of the node still.
TEST(CapturePlan, OfAContainerInTheNodesNetworkIsRefused) {
  CaptureFacts facts = Facts();
  facts.host_network = true;
  const auto refused = PlanCapture(facts, Order(), {}, WallTime());
  EXPECT_CODE(Code::kUnsupported, refused);
  EXPECT_EQ(refused.status().reason(), "HostNetwork");
  EXPECT_THAT(refused.status().message(), HasSubstr("hostNetwork"));
}

TEST(CapturePlan, OfAContainerWithUsersOfItsOwnIsRefused) {
  CaptureFacts facts = Facts();
  facts.own_users = 78;
  const auto refused = PlanCapture(facts, Order(), {}, WallTime());
  EXPECT_CODE(Code::kUnsupported, refused);
  EXPECT_EQ(refused.status().reason(), "UserNamespace");
  EXPECT_THAT(refused.status().message(), HasSubstr("process 78"));
}

TEST(CapturePlan, HasRequestAndManifestOfTheSameFacts) {
  ASSERT_OK_AND_ASSIGN(const CapturePlan plan,
                       PlanCapture(Facts(), Order(), {.kernel = "6.18"}, WallTime()));
  EXPECT_EQ(plan.request.pid, 77);
  EXPECT_EQ(plan.request.root, "/proc/77/root");
  EXPECT_EQ(plan.request.freeze_cgroup, "/sys/fs/cgroup/c1");
  EXPECT_THAT(plan.request.external, ElementsAre("net[4026532281]:extNetNs"));
  EXPECT_THAT(plan.request.skipped_mounts, ElementsAre("/run/x"));
  ASSERT_EQ(plan.request.external_mounts.size(), 2U);
  EXPECT_EQ(plan.request.external_mounts[1].value, "/dev/null");
  EXPECT_EQ(plan.manifest.checkpoint_id, "hash");
  EXPECT_EQ(plan.manifest.source.pod_namespace, "ns");
  EXPECT_EQ(plan.manifest.source.stdio[1], "pipe:[1]");
  EXPECT_THAT(plan.manifest.files.external_paths, ElementsAre("/proc/kcore", "/proc/sys"));
  EXPECT_THAT(plan.manifest.files.bind_destinations, ElementsAre("/data"));
  EXPECT_EQ(plan.manifest.environment->kernel, "6.18");
  EXPECT_EQ(plan.manifest.environment->image_digest, "sha256:0");
  EXPECT_EQ(plan.manifest.environment->pod_uid, "uid");
  EXPECT_THAT(DescribePlan(plan), HasSubstr("process: 77"));
}

TEST(CapturePlan, RefusesWhatCannotWork) {
  CaptureFacts nested = Facts();
  nested.tree[1].ns_pids = {78, 2, 1};
  const auto plan = PlanCapture(nested, Order(), {}, WallTime());
  EXPECT_EQ(plan.status().code(), Code::kUnsupported);
  EXPECT_THAT(plan.status().ToString(), HasSubstr("78 (child)"));
  CaptureOrder order = Order();
  order.checkpoint_id = "../x";
  EXPECT_CODE(Code::kInvalid, PlanCapture(Facts(), order, {}, WallTime()));
  order = Order();
  order.settings.tcp_close = true;
  EXPECT_CODE(Code::kInvalid, PlanCapture(Facts(), order, {}, WallTime()));
}

TEST(Freezer, IsUnifiedOrTheOldOneAndNeverTheRoot) {
  const TempDirectory groups;
  namespace fs = std::filesystem;
  fs::create_directories(groups / "pod/c1");
  fs::create_directories(groups / "unified/pod/c2");
  fs::create_directories(groups / "freezer/pod/c3");
  std::ofstream(groups / "cgroup.freeze") << 0;
  std::ofstream(groups / "pod/c1/cgroup.freeze") << 0;
  std::ofstream(groups / "unified/pod/c2/cgroup.freeze") << 0;
  std::ofstream(groups / "freezer/pod/c3/freezer.state") << "THAWED";
  EXPECT_EQ(FindFreezer("0::/pod/c1\n", groups.path()), groups / "pod/c1");
  EXPECT_EQ(FindFreezer("5:cpu:/x\n0::/pod/c2\n", groups.path()), groups / "unified/pod/c2");
  EXPECT_EQ(FindFreezer("3:freezer:/pod/c3\n0::/\n", groups.path()), groups / "freezer/pod/c3");
  EXPECT_EQ(FindFreezer("0::/\n", groups.path()), "");
  EXPECT_EQ(FindFreezer("0::/../pod/c1\n", groups.path()), "");
  EXPECT_EQ(FindFreezer("garbage", groups.path()), "");
}

}  // namespace
}  // namespace hearth::agent
