#include "snapshot/artifact/manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "json/yaml.h"

namespace hearth::snapshot {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

Manifest Full() {
  Manifest manifest;
  manifest.checkpoint_id = "hash";
  manifest.artifact_version = "2";
  manifest.created_at = WallTime(std::chrono::seconds(1'790'000'000));
  manifest.criu_settings = json::Value::Object({{"logLevel", 4}, {"tcpEstablished", true}});
  manifest.external_mounts = {{"/", "/"}, {"/proc/kcore", "/dev/null"}};
  manifest.external = {"net[4026531840]:extNetNs"};
  manifest.skipped_mounts = {"/run/nvidia"};
  manifest.source = {.container_id = "abc",
                     .pid = 4711,
                     .node = "node-a",
                     .pod_name = "llm-0",
                     .pod_namespace = "team",
                     .pod_ips = {"10.0.0.7", "fd00::7"},
                     .stdio = {"/dev/null", "pipe:[1]", "pipe:[2]"}};
  manifest.files = {.exclusions = {"*.pyc", "yes"},
                    .upper_directory = "/var/lib/o/upper",
                    .external_paths = {"/proc/kcore"},
                    .bind_destinations = {"/data"}};
  manifest.cuda = CudaState{{7, 9}, {"GPU-a", "GPU-b"}};
  manifest.environment = SourceEnvironment{.kernel = "6.18.2",
                                           .architecture = "x86_64",
                                           .cpu_model = "EPYC",
                                           .cpu_features = {"avx2", "sse4_2"},
                                           .criu_version = "4.2.1",
                                           .runtime = "containerd 1.7.24",
                                           .image = "img:1",
                                           .image_digest = "sha256:00",
                                           .pod_uid = "uid",
                                           .container_name = "main"};
  manifest.content_uid = "content";
  manifest.cold_start = std::chrono::milliseconds(93'250);
  manifest.integrity = Integrity{disk::DigestOf("contents"), 4ULL << 40, 17};
  return manifest;
}

// A94
TEST(Manifest, IsReadAsItWasWritten) {
  const std::string text = WriteManifest(Full());
  ASSERT_OK_AND_ASSIGN(const Manifest read, ReadManifest(text));
  EXPECT_EQ(WriteManifest(read), text);
  EXPECT_EQ(read.source.stdio[2], "pipe:[2]");
  EXPECT_THAT(read.source.pod_ips, ElementsAre("10.0.0.7", "fd00::7"));
  EXPECT_EQ(read.environment->cpu_features.size(), 2U);
  EXPECT_THAT(read.files.exclusions, ElementsAre("*.pyc", "yes"));
  EXPECT_EQ(read.created_at, Full().created_at);
  EXPECT_EQ(read.artifact_version, "2");
  EXPECT_EQ(read.content_uid, "content");
  EXPECT_EQ(read.integrity->bytes, 4ULL << 40);
  EXPECT_EQ(read.cold_start, std::chrono::milliseconds(93'250));
}

// What is not known is not written, so that artifacts before it look as they did; and who does not
// know of it reads past it.
TEST(Manifest, ColdStartsAreKeptWhenTheyAreKnown) {
  Manifest manifest = Full();
  manifest.cold_start.reset();
  const std::string text = WriteManifest(manifest);
  EXPECT_THAT(text, testing::Not(HasSubstr("coldStart")));
  ASSERT_OK_AND_ASSIGN(const Manifest read, ReadManifest(text));
  EXPECT_EQ(read.cold_start, std::nullopt);
  EXPECT_THAT(WriteManifest(Full()), HasSubstr("version: 1\n"));
  const auto wrong =
      ReadManifest("checkpointId: a\nhearth: {version: 1, coldStartMilliseconds: -1}");
  EXPECT_THAT(std::string(wrong.status().message()), HasSubstr("hearth.coldStartMilliseconds"));
}

TEST(Manifest, OfUpstreamIsRead) {
  ASSERT_OK_AND_ASSIGN(const Manifest read, ReadManifest(R"(
checkpointId: manual-snapshot-1
createdAt: 2026-08-21T10:11:12.123456789Z
criuDump:
  criu: {logLevel: 4, ghostLimit: 536870912}
  extMnt: {/: /, /etc/hosts: /etc/hosts}
  external: ["net[4026532281]:extNetNs"]
  skipMnt: []
k8s:
  containerId: 0a1b
  pid: 12
  sourceNode: node-b
  podName: p
  podNamespace: ns
  podIP: 10.1.2.3
  stdioFDs: ["/dev/null", "pipe:[5]", "pipe:[6]"]
overlay:
  exclusions: {exclusions: [/proc, "*.pyc"]}
  upperDir: /u
  externalPaths: [/proc/kcore]
  bindMountDests: [/models]
cudaRestore: {pids: [40], sourceGpuUuids: [GPU-1]}
somethingNewer: {a: 1}
)"));
  EXPECT_EQ(read.checkpoint_id, "manual-snapshot-1");
  EXPECT_THAT(read.external_mounts, ElementsAre(Pair("/", "/"), Pair("/etc/hosts", "/etc/hosts")));
  EXPECT_THAT(read.cuda->pids, ElementsAre(40));
  EXPECT_FALSE(read.environment.has_value());
}

// A94: a blank id among them.
TEST(Manifest, WhatIsMissingOrWrongIsNamed) {
  const std::pair<const char*, const char*> rows[] = {
      {"{}", "checkpointId must be set"},
      {"{checkpointId: ' '}", "checkpointId must be set"},
      {"{checkpointId: 5}", "checkpointId must be a text"},
      {"[a]", "must be a map"},
      {"{checkpointId: a, createdAt: tomorrow}", "createdAt must be a time"},
      {"{checkpointId: a, criuDump: [1]}", "criuDump must be a map"},
      {"{checkpointId: a, criuDump: {extMnt: {a: 1}}}", "criuDump.extMnt must be a map of texts"},
      {"{checkpointId: a, k8s: {pid: -4}}", "k8s.pid must be a whole number"},
      {"{checkpointId: a, k8s: {stdioFDs: [a, b, c, d]}}", "k8s.stdioFDs must be a list of three"},
      {"{checkpointId: a, overlay: {exclusions: {exclusions: x}}}",
       "overlay.exclusions.exclusions must be a list"},
      {"{checkpointId: a, cudaRestore: {pids: [x]}}", "cudaRestore.pids must be a list of pids"},
      {"{checkpointId: a, hearth: {kernel: 6}}", "hearth.kernel must be a text"},
      {"checkpointId: [", "manifest.yaml"},
  };
  for (const auto& [text, says] : rows) {
    EXPECT_THAT(ReadManifest(text).status().ToString(), HasSubstr(says)) << text;
  }
}

TEST(Manifest, OfTheFutureIsRefused) {
  EXPECT_CODE(Code::kUnsupported, ReadManifest("{checkpointId: a, hearth: {version: 3}}"));
  EXPECT_CODE(Code::kUnsupported,
              ReadManifest("{checkpointId: a, hearth: {version: 2, contents: {digest: " +
                           disk::DigestOf("a").Hex() + ", compression: best}}}"));
  EXPECT_OK(ReadManifest("{checkpointId: a, hearth: {version: 1, unknown: 5}}").status());
}

// Older releases read what they can restore, and refuse what they cannot.
TEST(Manifest, IsOfTheNewerVersionOnlyWhenMemoryIsCompressed) {
  Manifest manifest = Full();
  EXPECT_THAT(WriteManifest(manifest), testing::HasSubstr("\n  version: 1\n"));
  manifest.integrity->plain_bytes = 5ULL << 40;
  const std::string text = WriteManifest(manifest);
  EXPECT_THAT(text, testing::HasSubstr("\n  version: 2\n"));
  EXPECT_THAT(text, testing::HasSubstr("compression: zstd\n"));
  ASSERT_OK_AND_ASSIGN(const Manifest read, ReadManifest(text));
  EXPECT_EQ(read.integrity->plain_bytes, 5ULL << 40);
}

// A93, S3: neither another id nor, unlike upstream, another namespace.
TEST(Manifest, BelongsToItsNamespace) {
  const Manifest manifest = Full();
  EXPECT_OK(CheckBelongsTo(manifest, "hash", "team"));
  EXPECT_CODE(Code::kPermissionDenied, CheckBelongsTo(manifest, "hash", "other"));
  EXPECT_CODE(Code::kConflict, CheckBelongsTo(manifest, "another", "team"));
  Manifest local = manifest;
  local.source.pod_namespace.clear();
  EXPECT_OK(CheckBelongsTo(local, "hash", "other"));
}

}  // namespace
}  // namespace hearth::snapshot
