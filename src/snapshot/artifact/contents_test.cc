#include "snapshot/artifact/contents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "base/testing/status_matchers.h"

namespace hearth::snapshot {
namespace {

using testing::HasSubstr;

Contents Some() {
  return {.files = {{"core-1.img", 10, {{disk::DigestOf("a")}}},
                    {"empty", 0, {}},
                    {"pages-1.img",
                     (2 << 20) + 1,
                     {{disk::DigestOf("b")}, {{}, true}, {disk::DigestOf("c")}}}}};
}

TEST(Contents, AreReadAsTheyWereWritten) {
  ASSERT_OK_AND_ASSIGN(const Contents read, ReadContents(WriteContents(Some())));
  EXPECT_EQ(read.files, Some().files);
  EXPECT_EQ(read.TotalBytes(), 10U + (2U << 20U) + 1U);
  EXPECT_NE(read.Find("core-1.img"), nullptr);
  EXPECT_EQ(read.Find("core-2.img"), nullptr);
}

TEST(Contents, WhatDoesNotFitTogetherIsRefused) {
  const auto refused = [](Contents contents) {
    return ReadContents(WriteContents(contents)).status();
  };
  Contents swapped = Some();
  std::swap(swapped.files[0], swapped.files[1]);
  EXPECT_THAT(refused(swapped).message(), HasSubstr("order"));
  Contents twice = Some();
  twice.files[1] = twice.files[0];
  EXPECT_CODE(Code::kInvalid, refused(twice));
  Contents short_by_one = Some();
  short_by_one.files[2].chunks.pop_back();
  EXPECT_THAT(refused(short_by_one).message(), HasSubstr("pages-1.img has 2097153 bytes and 2"));
  for (const char* const name : {"", "..", "a/b", ".hidden", "a b", "\x7f"}) {
    Contents odd = Some();
    odd.files = {{name, 0, {}}};
    SCOPED_TRACE(testing::Message() << name);
    EXPECT_CODE(Code::kInvalid, refused(odd));
  }
}

// A chunk that was compressed, one of zeros, one that is kept as it is, and a short one.
Contents Packed() {
  StoredFile file{.name = "pages-1.img"};
  file.chunks = {{disk::DigestOf("a")}, {{}, true}, {disk::DigestOf("b")}, {disk::DigestOf("c")}};
  file.packing.emplace();
  file.packing->Add(1 << 20, 5000);
  file.packing->Add(1 << 20, 0);
  file.packing->Add(1 << 20, 1 << 20);
  file.packing->Add(8192, 17);
  file.bytes = file.packing->file_bytes();
  return {.files = {std::move(file)}};
}

TEST(Contents, OfCompressedFilesAreReadAsTheyWereWritten) {
  ASSERT_OK_AND_ASSIGN(const Contents read, ReadContents(WriteContents(Packed())));
  EXPECT_EQ(read.files, Packed().files);
  EXPECT_TRUE(read.IsPacked());
  EXPECT_EQ(read.TotalBytes(), 8192U + (1U << 20U) + 4096U);
  EXPECT_EQ(read.PlainBytes(), (3U << 20U) + 8192U);
  EXPECT_THAT(WriteContents(Packed()), HasSubstr(R"({"version":2,)"));
  EXPECT_THAT(WriteContents(Some()), HasSubstr(R"({"version":1,)"));
}

TEST(Contents, TellWhereAChunkIs) {
  const StoredFile packed = Packed().files[0];
  const ChunkPlace first = PlaceOf(packed, 0, 1 << 20);
  EXPECT_EQ(first.offset, 0U);
  EXPECT_EQ(first.bytes, 8192U);
  EXPECT_EQ(first.packed_bytes, 5000U);
  EXPECT_EQ(first.plain_bytes, 1U << 20U);
  EXPECT_EQ(PlaceOf(packed, 1, 1 << 20).bytes, 0U);
  const ChunkPlace kept = PlaceOf(packed, 2, 1 << 20);
  EXPECT_EQ(kept.offset, 8192U);
  EXPECT_EQ(kept.packed_bytes, 0U);
  const ChunkPlace last = PlaceOf(packed, 3, 1 << 20);
  EXPECT_EQ(last.offset, 8192U + (1U << 20U));
  EXPECT_EQ(last.plain_offset, 3U << 20U);
  EXPECT_EQ(last.plain_bytes, 8192U);
  const ChunkPlace plain = PlaceOf(Some().files[2], 2, 1 << 20);
  EXPECT_EQ(plain.offset, 2U << 20U);
  EXPECT_EQ(plain.bytes, 1U);
  EXPECT_EQ(plain.packed_bytes, 0U);
}

TEST(Contents, CompressedFilesThatDoNotFitTogetherAreRefused) {
  const auto refused = [](const std::function<void(StoredFile&)>& change) {
    Contents contents = Packed();
    change(contents.files[0]);
    return ReadContents(WriteContents(contents)).status();
  };
  EXPECT_THAT(refused([](StoredFile& file) { file.bytes += 4096; }).message(),
              HasSubstr("its chunks have 1060864"));
  EXPECT_CODE(Code::kInvalid, refused([](StoredFile& file) { file.name = "files.img"; }));
  EXPECT_CODE(Code::kInvalid, refused([](StoredFile& file) { file.chunks.pop_back(); }));
  EXPECT_THAT(refused([](StoredFile& file) { file.chunks[0].zero = true; }).message(),
              HasSubstr("zeros"));
  EXPECT_THAT(refused([](StoredFile& file) { file.chunks[1].zero = false; }).message(),
              HasSubstr("zeros"));
  EXPECT_THAT(refused([](StoredFile& file) {
                file.packing.emplace();
                file.packing->Add(8192, 8193);  // more than it stands for
                file.chunks.resize(1);
                file.bytes = file.packing->file_bytes();
              }).message(),
              HasSubstr("out of range"));
  // A chunk has room for no more than the bytes of one.
  EXPECT_CODE(
      Code::kInvalid,
      ReadContents(
          R"({"version":2,"chunkBytes":5000,"files":[{"name":"pages-1.img","bytes":8192,"digests":[")" +
          disk::DigestOf("a").Hex() + R"("],"zstd":{"bytes":5000,"sizes":[5000]}}]})")
          .status());
  // Older releases would take it for their own.
  EXPECT_CODE(
      Code::kInvalid,
      ReadContents(
          R"({"version":1,"chunkBytes":4096,"files":[{"name":"pages-1.img","bytes":0,"digests":["0"],)"
          R"("zstd":{"bytes":1,"sizes":[0]}}]})")
          .status());
}

TEST(Contents, GarbageIsRefused) {
  for (
      const char* const text :
      {"", "[]", "{}", R"({"version":1})", R"({"version":1,"chunkBytes":0,"files":[]})",
       R"({"version":1,"chunkBytes":4096,"files":[1]})",
       R"({"version":1,"chunkBytes":4096,"files":[{"name":"a","bytes":1,"digests":["x"]}]})",
       R"({"version":1,"chunkBytes":4096,"files":[{"name":"a","bytes":-1,"digests":[]}]})",
       R"({"version":2,"chunkBytes":4096,"files":[{"name":"pages-1","bytes":0,"digests":[],"zstd":1}]})",
       R"({"version":2,"chunkBytes":4096,"files":[{"name":"pages-1","bytes":0,"digests":[],"zstd":{}}]})"}) {
    SCOPED_TRACE(testing::Message() << text);
    EXPECT_CODE(Code::kInvalid, ReadContents(text).status());
  }
  EXPECT_CODE(Code::kUnsupported,
              ReadContents(R"({"version":3,"chunkBytes":4096,"files":[]})").status());
}

}  // namespace
}  // namespace hearth::snapshot
