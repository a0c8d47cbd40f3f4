#include "agent/container/oci_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"

namespace hearth::agent {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(OciSpec, TellsWhatTheRuntimeMounts) {
  ASSERT_OK_AND_ASSIGN(const OciSpec spec, ParseOciSpec(R"({
    "ociVersion": "1.0.2", "root": {"path": "rootfs"},
    "process": {"capabilities": {"bounding": ["CAP_CHOWN", "CAP_KILL"], "effective": []},
      "env": ["PATH=/bin", "NVIDIA_VISIBLE_DEVICES=all", "NVIDIA_VISIBLE_DEVICES=GPU-1"]},
    "mounts": [
      {"destination": "/proc", "type": "proc", "source": "proc"},
      {"destination": "/data", "type": "bind", "source": "/srv", "options": ["rw"]},
      {"destination": "/etc/hosts", "source": "/h", "options": ["rbind", "ro"]}],
    "linux": {"maskedPaths": ["/proc/kcore"], "readonlyPaths": ["/proc/sys", "/proc/bus"]}})"));
  EXPECT_THAT(spec.managed.mounts, ElementsAre("/proc", "/data", "/etc/hosts"));
  EXPECT_THAT(spec.bind_destinations, ElementsAre("/data", "/etc/hosts"));
  EXPECT_THAT(spec.managed.masked, ElementsAre("/proc/kcore"));
  EXPECT_THAT(spec.managed.readonly, ElementsAre("/proc/sys", "/proc/bus"));
  EXPECT_EQ(spec.root, "rootfs");
  EXPECT_EQ(spec.visible_devices, "GPU-1");
  EXPECT_THAT(spec.capabilities, ElementsAre("CAP_CHOWN", "CAP_KILL"));
}

TEST(OciSpec, MayHaveNothing) { EXPECT_OK(ParseOciSpec("{}").status()); }

TEST(OciSpec, ThatIsNoneIsRefused) {
  for (const char* const text :
       {"", "[]", "{\"mounts\": 5}", "{\"mounts\": [{}]}", "{\"linux\": {\"maskedPaths\": [1]}}",
        "{\"linux\": {\"readonlyPaths\": [\"relative\"]}}"}) {
    EXPECT_CODE(Code::kInvalid, ParseOciSpec(text));
  }
}

TEST(OciState, IsWhatRuncPrints) {
  ASSERT_OK_AND_ASSIGN(
      const OciState state,
      ParseOciState(R"({"ociVersion":"1.0.2-dev","id":"c1","pid":77,"status":"running",
        "bundle":"/b","rootfs":"/b/rootfs","created":"2026-11-16T00:00:00Z","owner":""})"));
  EXPECT_EQ(state.pid, 77);
  EXPECT_EQ(state.status, "running");
  EXPECT_EQ(state.bundle, "/b");
  EXPECT_CODE(Code::kInvalid, ParseOciState("{}"));
  EXPECT_CODE(Code::kInvalid, ParseOciState(R"({"id":"a","status":"running","pid":-3})"));
}

TEST(ContainerId, IsTakenApartAndChecked) {
  EXPECT_EQ(WithoutScheme("containerd://abc"), "abc");
  EXPECT_EQ(WithoutScheme("cri-o://abc"), "abc");
  EXPECT_EQ(WithoutScheme("crio://abc"), "abc");
  EXPECT_EQ(WithoutScheme("docker://abc"), "docker://abc");
  EXPECT_OK(CheckContainerId("a1-b_c.d+e"));
  for (const std::string& id : {std::string(), std::string("--help"), std::string("../x"),
                                std::string("a/b"), std::string("a b"), std::string(256, 'a')}) {
    EXPECT_CODE(Code::kInvalid, CheckContainerId(id));
  }
}

}  // namespace
}  // namespace hearth::agent
