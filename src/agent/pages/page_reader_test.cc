#include "agent/pages/page_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "agent/receive/testing/packed_artifact.h"
#include "base/file_system.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "disk/digest.h"
#include "snapshot/artifact/seal.h"
#include "snapshot/artifact/testing/sample_artifact.h"
#include "snapshot/artifact/verify.h"

namespace hearth::agent {
namespace {

using testing::HasSubstr;

constexpr uint64_t kChunk = snapshot::kDefaultChunkBytes;

// A chunk that can be compressed, one of zeros, one that cannot, and a part of one.
std::string Sample() {
  std::string bytes;
  while (bytes.size() < kChunk) {
    bytes += "once upon a time ";
  }
  bytes.resize(2 * kChunk);
  std::fill(bytes.begin() + kChunk, bytes.end(), '\0');
  uint64_t state = 1;
  while (bytes.size() < 3 * kChunk) {
    state ^= state << 13U;
    state ^= state >> 7U;
    state ^= state << 17U;
    bytes.append(reinterpret_cast<const char*>(&state), sizeof(state));
  }
  bytes.append(8192, 'e');
  return bytes;
}

class CompressedPagesTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK_AND_ASSIGN(layout_, snapshot::StorageLayout::Create(storage_.path()));
    ASSERT_OK(receive::PublishPacked(*layout_, snapshot::SampleManifest("id"),
                                     {{"core-1.img", "core"}, {"pages-1.img", Sample()}}));
    directory_ = *layout_->Artifact("id", "1");
  }
  static Result<std::string> ReadAll(const snapshot::Artifact& artifact) {
    ASSIGN_OR_RETURN(const PageReader reader, PageReader::Open(artifact, "pages-1.img"));
    const MappedBytes buffer = MappedBytes::Buffer(reader.chunk_bytes());
    PageReader::Scratch scratch;
    std::string all;
    for (uint64_t chunk = 0; chunk < reader.chunks(); ++chunk) {
      ASSIGN_OR_RETURN(const auto bytes, reader.Read(chunk, buffer, scratch));
      all += bytes.empty() ? std::string(reader.chunk_bytes(), '\0') : std::string(bytes);
    }
    return all;
  }
  void Flip(uint64_t offset) {
    std::fstream file(directory_ + "/pages-1.img", std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(offset));
    const int byte = file.get();
    file.seekp(static_cast<std::streamoff>(offset));
    file.put(static_cast<char>(~byte));
  }

  TempDirectory storage_;
  std::optional<snapshot::StorageLayout> layout_;
  std::string directory_;
};

TEST_F(CompressedPagesTest, AreReadAsTheyWere) {
  ASSERT_OK_AND_ASSIGN(const auto artifact, snapshot::Artifact::Open(directory_));
  EXPECT_EQ(artifact.manifest().integrity->plain_bytes, Sample().size() + 4);
  EXPECT_LT(artifact.contents().TotalBytes(), kChunk + (32 << 10));
  ASSERT_OK_AND_ASSIGN(const std::string read, ReadAll(artifact));
  EXPECT_TRUE(read == Sample());
  ASSERT_OK_AND_ASSIGN(const auto report,
                       snapshot::VerifyFiles(artifact, {}, WaitLimit::Forever()));
  EXPECT_OK(snapshot::Intact(report));
  EXPECT_EQ(report.bytes, artifact.contents().TotalBytes());
}

// Whether it is in what was compressed, in what was not, or in what lies between.
TEST_F(CompressedPagesTest, AFlippedByteIsNamedByFileAndChunk) {
  ASSERT_OK_AND_ASSIGN(const auto artifact, snapshot::Artifact::Open(directory_));
  const snapshot::StoredFile& file = *artifact.contents().Find("pages-1.img");
  for (const uint64_t chunk : {0U, 2U, 3U}) {
    const snapshot::ChunkPlace place = snapshot::PlaceOf(file, chunk, kChunk);
    for (const uint64_t offset : {place.offset, place.offset + place.bytes - 1}) {
      SCOPED_TRACE(offset);
      Flip(offset);
      const std::string named = "pages-1.img: chunk " + std::to_string(chunk) + " ";
      const auto read = ReadAll(artifact);
      EXPECT_CODE(Code::kDataLoss, read.status());
      EXPECT_THAT(read.status().message(), HasSubstr(named));
      ASSERT_OK_AND_ASSIGN(const auto report,
                           snapshot::VerifyFiles(artifact, {}, WaitLimit::Forever()));
      ASSERT_EQ(report.damages.size(), 1U);
      EXPECT_THAT(report.damages[0].message, HasSubstr(named));
      Flip(offset);
    }
  }
  EXPECT_OK(ReadAll(artifact).status());
}

// Whoever can write to the store can write digests, too.
TEST_F(CompressedPagesTest, WhatExpandsToSomethingElseIsRefusedThoughItsDigestIsRight) {
  snapshot::StoredFile file;
  {
    ASSERT_OK_AND_ASSIGN(const auto artifact, snapshot::Artifact::Open(directory_));
    file = *artifact.contents().Find("pages-1.img");
  }
  Flip(0);  // the mark of zstd
  snapshot::Contents contents{.files = {{"core-1.img", 4, {{disk::DigestOf("core")}}}, file}};
  const std::string pages = *RealFileSystem().Read(directory_ + "/pages-1.img", 64 << 20);
  const snapshot::ChunkPlace place = snapshot::PlaceOf(file, 0, kChunk);
  contents.files[1].chunks[0].digest = disk::DigestOf(pages.substr(place.offset, place.bytes));
  const std::string table = snapshot::WriteContents(contents);
  snapshot::Manifest manifest = snapshot::SampleManifest("id");
  manifest.integrity = snapshot::Integrity{.contents = disk::DigestOf(table),
                                           .bytes = contents.TotalBytes(),
                                           .plain_bytes = contents.PlainBytes()};
  ASSERT_OK(RealFileSystem().Write(directory_ + "/contents.json", table, 0600));
  ASSERT_OK(RealFileSystem().Write(directory_ + "/manifest.yaml",
                                   snapshot::Seal(snapshot::WriteManifest(manifest)), 0600));
  ASSERT_OK_AND_ASSIGN(const auto artifact, snapshot::Artifact::Open(directory_));
  const auto read = ReadAll(artifact);
  EXPECT_CODE(Code::kDataLoss, read.status());
  EXPECT_THAT(read.status().message(), HasSubstr("pages-1.img: chunk 0 "));
}

}  // namespace
}  // namespace hearth::agent
