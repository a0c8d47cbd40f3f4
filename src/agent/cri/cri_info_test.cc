#include "agent/cri/cri_info.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file_system.h"
#include "base/testing/status_matchers.h"

namespace hearth::agent {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

std::string Sample(const std::string& name) {
  return *RealFileSystem().Read(HEARTH_SOURCE_DIR "/tests/corpus/cri_info/" + name, 1 << 20);
}

// A82: 54321, three mounts, three masked paths, four that are read-only.
TEST(CriInfo, IsReadAsCriOWritesIt) {
  ASSERT_OK_AND_ASSIGN(const CriInfo info, ParseCriInfo(Sample("crio.json")));
  EXPECT_EQ(info.pid, 54321);
  EXPECT_THAT(info.spec.managed.mounts, SizeIs(3));
  EXPECT_THAT(info.spec.managed.masked, SizeIs(3));
  EXPECT_THAT(info.spec.managed.readonly, SizeIs(4));
  EXPECT_THAT(info.spec.bind_destinations, ElementsAre("/dev/shm", "/models"));
  EXPECT_EQ(info.snapshot_key, "");
}

TEST(CriInfo, IsReadAsContainerdWritesIt) {
  ASSERT_OK_AND_ASSIGN(const CriInfo info, ParseCriInfo(Sample("containerd.json")));
  EXPECT_EQ(info.pid, 4711);
  EXPECT_EQ(info.snapshotter, "overlayfs");
  EXPECT_EQ(info.snapshot_key, "c0ffee");
  EXPECT_THAT(info.spec.bind_destinations, ElementsAre("/data"));
  EXPECT_EQ(info.spec.visible_devices, "all");
}

// A82: what is not such a text is refused.
TEST(CriInfo, ThatIsNoneIsRefused) {
  for (const char* const text :
       {"", "not json", "[]", "{\"runtimeSpec\":{}}", "{\"pid\":0,\"runtimeSpec\":{}}",
        "{\"pid\":-3,\"runtimeSpec\":{}}", "{\"pid\":4294967297,\"runtimeSpec\":{}}",
        "{\"pid\":\"7\",\"runtimeSpec\":{}}", "{\"pid\":7}", "{\"pid\":7,\"runtimeSpec\":null}",
        "{\"pid\":7,\"runtimeSpec\":{\"mounts\":7}}"}) {
    EXPECT_CODE(Code::kInvalid, ParseCriInfo(text));
  }
}

TEST(ImageDigest, StandsInTheReference) {
  const std::string digest = "sha256:" + std::string(64, 'a');
  EXPECT_EQ(DigestOf("docker.io/library/a@" + digest), digest);
  EXPECT_EQ(DigestOf(digest), digest);
  for (const char* const reference :
       {"", "docker.io/library/a:latest", "a@sha256:12", "sha256:", "a@", "@"}) {
    EXPECT_EQ(DigestOf(reference), "");
  }
}

}  // namespace
}  // namespace hearth::agent
