#include "gms/storage/manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "gms/storage/internal/root_digest.h"

namespace hearth::gms::storage {
namespace {

using testing::HasSubstr;

Manifest Sample() {
  Manifest manifest;
  manifest.timestamp = 1700000000.25;
  manifest.device = 3;
  manifest.layout_hash = "abc";
  manifest.compatibility = {.model = "m", .rank = 1, .device_kind = "host", .granularity = 4096};
  manifest.chunk_bytes = 8192;
  manifest.shards = {{"shards/shard_0000.bin", 12288}, {"/ssd/x/shard_0001.bin", 4096}};
  manifest.allocations = {{"a", 100, 4096, "weights", 0, 0},
                          {"b", 8192, 8192, "weights", 0, 4096},
                          {"c", 4096, 4096, "default", 1, 0}};
  manifest.files = {{kMetadataName, 3, disk::DigestOf("{}\n")},
                    {kChunkTableName, 5, disk::DigestOf("12345")}};
  return manifest;
}

std::string Why(const std::string& text) {
  const auto manifest = ReadManifest(text);
  return manifest.ok() ? "ok" : std::string(manifest.status().message());
}

// Whatever is changed, the digest is made to fit: the rule itself must refuse.
std::string Edited(const std::string& from, const std::string& to) {
  std::string text = WriteManifest(Sample());
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  return WithRootDigest(text.substr(0, text.rfind(",\"root_digest\"")) + "}");
}

TEST(ManifestV2, ComesBackAsItWasWritten) {
  ASSERT_OK_AND_ASSIGN(const Manifest read, ReadManifest(WriteManifest(Sample())));
  const Manifest sample = Sample();
  EXPECT_EQ(read.version, ManifestVersion::kV2);
  EXPECT_EQ(read.timestamp, sample.timestamp);
  EXPECT_EQ(read.device, 3);
  EXPECT_EQ(read.layout_hash, "abc");
  EXPECT_EQ(read.compatibility, sample.compatibility);
  EXPECT_EQ(read.chunk_bytes, 8192U);
  EXPECT_EQ(read.shards, sample.shards);
  EXPECT_EQ(read.allocations, sample.allocations);
  EXPECT_EQ(read.files, sample.files);
  EXPECT_EQ(read.total_bytes(), 16384U);
}

TEST(ManifestV2, RefusesEveryChangedByte) {
  const std::string text = WriteManifest(Sample());
  for (size_t i = 0; i < text.size(); ++i) {
    std::string damaged = text;
    damaged[i] ^= 1;
    EXPECT_FALSE(ReadManifest(damaged).ok()) << "byte " << i;
    EXPECT_FALSE(ReadManifest(text.substr(0, i)).ok()) << "cut at " << i;
  }
}

TEST(ManifestV2, RefusesWhatMakesNoSense) {
  EXPECT_THAT(Why(Edited("\"allocation_id\":\"b\"", "\"allocation_id\":\"a\"")),
              HasSubstr("listed twice"));
  EXPECT_THAT(Why(Edited("\"allocation_id\":\"b\"", "\"allocation_id\":\"\"")), HasSubstr("no id"));
  EXPECT_THAT(Why(Edited("\"tensor_offset\":4096", "\"tensor_offset\":8192")),
              HasSubstr("beyond the end"));
  EXPECT_THAT(Why(Edited("\"tensor_offset\":4096", "\"tensor_offset\":0")),
              HasSubstr("the one before it ends at"));
  EXPECT_THAT(Why(Edited("\"tensor_offset\":4096", "\"tensor_offset\":4097")),
              HasSubstr("granularity"));
  EXPECT_THAT(Why(Edited("\"tensor_offset\":4096", "\"tensor_offset\":-4096")),
              HasSubstr("0 or more"));
  EXPECT_THAT(Why(Edited("\"bytes\":12288", "\"bytes\":16384")), HasSubstr("are used"));
  EXPECT_THAT(Why(Edited("\"size\":100", "\"size\":0")), HasSubstr("makes no sense"));
  EXPECT_THAT(Why(Edited("\"size\":100", "\"size\":5000")), HasSubstr("makes no sense"));
  EXPECT_THAT(Why(Edited("\"version\":2", "\"version\":3")), HasSubstr("newer program"));
  EXPECT_THAT(Why(Edited("\"chunk_bytes\":8192", "\"chunk_bytes\":8193")),
              HasSubstr("no size of a chunk"));
  EXPECT_THAT(Why(Edited("\"device\":3", "\"device\":3,\"more\":1")), HasSubstr("not known"));
  EXPECT_THAT(Why(Edited("chunks.bin", "chunks.bak")), HasSubstr("files must list"));
}

TEST(ManifestV2, RefusesPathsThatLeadOut) {
  for (const std::string path : {"../x", "shards/../../x", "a//b", "./x", "", "shards/", "/../x"}) {
    EXPECT_FALSE(CheckStoredPath(path).ok()) << path;
  }
  EXPECT_OK(CheckStoredPath("shards/shard_0000.bin"));
  EXPECT_OK(CheckStoredPath("/ssd/a"));
  EXPECT_FALSE(CheckStoredPath(std::string_view("a\0b", 3)).ok());
}

// Readers of version 0 look for these names and nothing else.
TEST(ManifestV2, CanBeReadAsVersionZero) {
  std::string text = WriteManifest(Sample());
  for (const std::string member :
       {"\"timestamp\":1700000000.25", "\"layout_hash\":\"abc\"", "\"device\":3",
        R"({"allocation_id":"b","size":8192,"aligned_size":8192,"tag":"weights",)"
        R"("tensor_file":"shards/shard_0000.bin","tensor_offset":4096})"}) {
    EXPECT_THAT(text, HasSubstr(member));
  }
}

TEST(ManifestV0, IsReadWithItsDefaults) {
  ASSERT_OK_AND_ASSIGN(const Manifest manifest, ReadManifest(R"({
    "timestamp": 1.5, "layout_hash": "h", "device": 1, "note": "kept by somebody",
    "allocations": [
      {"allocation_id": "x", "size": 10, "aligned_size": 64, "tag": "weights",
       "tensor_file": "shards/shard_0000.bin"},
      {"allocation_id": "y", "size": 64, "aligned_size": 64, "tag": "weights",
       "tensor_file": "shards/shard_0000.bin", "tensor_offset": 128}]})"));
  EXPECT_EQ(manifest.version, ManifestVersion::kV0);
  ASSERT_EQ(manifest.shards.size(), 1U);
  EXPECT_EQ(manifest.shards[0].bytes, 192U);  // gaps are its own business
  EXPECT_EQ(manifest.allocations[1].offset, 128U);
}

TEST(ManifestV0, RefusesOverlapsAndPathsThatLeadOut) {
  EXPECT_THAT(Why(R"({"allocations":[
      {"allocation_id":"x","size":64,"aligned_size":64,"tensor_file":"s"},
      {"allocation_id":"y","size":64,"aligned_size":64,"tensor_file":"s","tensor_offset":32}]})"),
              HasSubstr("the one before it ends at"));
  EXPECT_THAT(Why(R"({"allocations":[
      {"allocation_id":"x","size":64,"aligned_size":64,"tensor_file":"../../etc/shadow"}]})"),
              HasSubstr("no path that may be used"));
}

TEST(ManifestV1, IsReadStrictly) {
  const std::string good = R"({"version":1,"allocations":[{"allocation_id":"x","aligned_size":64,)"
                           R"("shard":"shards/shard_0000.bin","offset":0}]})";
  ASSERT_OK_AND_ASSIGN(const Manifest manifest, ReadManifest(good));
  EXPECT_EQ(manifest.version, ManifestVersion::kV1);
  EXPECT_EQ(manifest.allocations[0].tag, "weights");
  EXPECT_EQ(manifest.shards[0].bytes, 64U);
  EXPECT_THAT(Why(R"({"version":1,"allocations":[]})"), HasSubstr("no allocations"));
  EXPECT_THAT(Why(R"({"version":1,"allocations":[],"x":1})"), HasSubstr("not known"));
  std::string gap = good;
  gap.replace(gap.find("\"offset\":0"), 10, "\"offset\":64");
  EXPECT_THAT(Why(gap), HasSubstr("the one before it ends at 0"));
}

TEST(Manifest, RefusesOtherThingsAndUnknownVersions) {
  EXPECT_FALSE(ReadManifest("").ok());
  EXPECT_FALSE(ReadManifest("[]").ok());
  EXPECT_FALSE(ReadManifest(R"({"version":2})").ok());
  EXPECT_FALSE(ReadManifest(R"({"version":"1"})").ok());
  EXPECT_FALSE(ReadManifest(R"({"format":"hearth-gms-artifact","allocations":[]})").ok());
}

TEST(Manifest, KeepsToItsLimits) {
  EXPECT_CODE(Code::kExhausted, ReadManifest(WriteManifest(Sample()), {.allocations = 2}));
  EXPECT_CODE(Code::kExhausted, ReadManifest(WriteManifest(Sample()), {.manifest_bytes = 100}));
}

TEST(Metadata, ComesBackWithAnyBytes) {
  const std::vector<StoredMetadata> metadata = {{"a.weight", "x", 0, std::string("\0\xff\x80", 3)},
                                                {"b \"quoted\"", "x", 64, ""}};
  ASSERT_OK_AND_ASSIGN(const auto read, ReadMetadata(WriteMetadata(metadata)));
  EXPECT_EQ(read, metadata);
  EXPECT_FALSE(ReadMetadata(R"({"k":{"allocation_id":"x","offset_bytes":0,"value":"?"}})").ok());
  EXPECT_FALSE(ReadMetadata("[]").ok());
}

TEST(Metadata, MustPointIntoItsAllocation) {
  const Manifest manifest = Sample();
  EXPECT_OK(CheckMetadata(manifest, {{"k", "a", 4095, ""}}));
  EXPECT_CODE(Code::kInvalid, CheckMetadata(manifest, {{"k", "a", 4096, ""}}));
  EXPECT_CODE(Code::kInvalid, CheckMetadata(manifest, {{"k", "nobody", 0, ""}}));
}

TEST(Compatibility, NamesWhatDoesNotFit) {
  const Manifest manifest = Sample();
  EXPECT_OK(CheckCompatible(manifest, {}));
  EXPECT_OK(CheckCompatible(manifest, {.model = "m", .rank = 1, .granularity = 4096}));
  EXPECT_THAT(std::string(CheckCompatible(manifest, {.model = "other"}).message()),
              HasSubstr("model m"));
  EXPECT_THAT(std::string(CheckCompatible(manifest, {.rank = 2}).message()), HasSubstr("rank 1"));
  EXPECT_THAT(std::string(CheckCompatible(manifest, {.granularity = 8192}).message()),
              HasSubstr("granularity 8192"));
}

}  // namespace
}  // namespace hearth::gms::storage
