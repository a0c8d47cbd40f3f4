#include "snapshot/artifact/contents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

TEST(Contents, GarbageIsRefused) {
  for (const char* const text :
       {"", "[]", "{}", R"({"version":1})", R"({"version":1,"chunkBytes":0,"files":[]})",
        R"({"version":1,"chunkBytes":4096,"files":[1]})",
        R"({"version":1,"chunkBytes":4096,"files":[{"name":"a","bytes":1,"digests":["x"]}]})",
        R"({"version":1,"chunkBytes":4096,"files":[{"name":"a","bytes":-1,"digests":[]}]})"}) {
    SCOPED_TRACE(testing::Message() << text);
    EXPECT_CODE(Code::kInvalid, ReadContents(text).status());
  }
  EXPECT_CODE(Code::kUnsupported,
              ReadContents(R"({"version":2,"chunkBytes":4096,"files":[]})").status());
}

}  // namespace
}  // namespace hearth::snapshot
