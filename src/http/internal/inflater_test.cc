#include "http/internal/inflater.h"

#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "http/testing/gzip.h"

namespace hearth::http {
namespace {

Result<std::string> InflateAll(Inflater& inflater, std::string_view compressed) {
  std::string plain;
  inflater.SetInput(compressed);
  while (inflater.has_input()) {
    ASSIGN_OR_RETURN(const std::string_view piece, inflater.Pull());
    plain += piece;
  }
  return plain;
}

std::string Text(size_t size) {
  std::string text;
  for (size_t i = 0; text.size() < size; ++i) {
    text += std::to_string(i * 7919);
  }
  return text.substr(0, size);
}

TEST(Inflater, GivesBackTheText) {
  for (const size_t size : {0, 1, 1000, 65536, 65537, 1'000'000}) {
    Inflater inflater;
    const std::string text = Text(size);
    ASSERT_OK_AND_ASSIGN(const std::string plain, InflateAll(inflater, Gzip(text)));
    EXPECT_EQ(plain, text);
    EXPECT_TRUE(inflater.complete());
  }
}

TEST(Inflater, TakesInputByteByByte) {
  Inflater inflater;
  const std::string text = Text(5000);
  std::string plain;
  for (const char byte : Gzip(text)) {
    ASSERT_OK_AND_ASSIGN(const std::string piece, InflateAll(inflater, {&byte, 1}));
    plain += piece;
  }
  EXPECT_EQ(plain, text);
}

TEST(Inflater, MembersFollowEachOther) {
  Inflater inflater;
  ASSERT_OK_AND_ASSIGN(const std::string plain, InflateAll(inflater, Gzip("one") + Gzip("two")));
  EXPECT_EQ(plain, "onetwo");
  EXPECT_TRUE(inflater.complete());
}

TEST(Inflater, NoticesTheMissingEnd) {
  const std::string compressed = Gzip(Text(1000));
  for (size_t size = 1; size < compressed.size(); ++size) {
    Inflater inflater;
    ASSERT_OK(InflateAll(inflater, std::string_view(compressed).substr(0, size)));
    EXPECT_FALSE(inflater.complete()) << size;
  }
}

TEST(Inflater, NoticesCorruption) {
  std::string compressed = Gzip(Text(1000));
  compressed[compressed.size() / 2] ^= 0x55;
  Inflater inflater;
  EXPECT_CODE(Code::kDataLoss, InflateAll(inflater, compressed));
  Inflater other;
  EXPECT_CODE(Code::kDataLoss, InflateAll(other, "this is not gzip at all"));
}

TEST(Inflater, ABombUnfoldsOnlyAsFarAsPulled) {
  const std::string bomb = Gzip(std::string(100 << 20, '\0'));
  ASSERT_LT(bomb.size(), 1U << 20);
  Inflater inflater;
  inflater.SetInput(bomb);
  ASSERT_OK_AND_ASSIGN(const std::string_view piece, inflater.Pull());
  EXPECT_EQ(piece.size(), Inflater::kBufferSize);
  EXPECT_TRUE(inflater.has_input());
}

TEST(Inflater, KeptInputSurvivesItsSource) {
  const std::string text = Text(300'000);
  std::string compressed = Gzip(text);
  const std::string tail = compressed.substr(compressed.size() - 100);
  compressed.resize(compressed.size() - 100);
  Inflater inflater;
  inflater.SetInput(compressed);
  std::string plain(*inflater.Pull());
  inflater.KeepInput();
  compressed.assign(compressed.size(), 'x');
  inflater.AppendInput(tail);
  while (inflater.has_input()) {
    ASSERT_OK_AND_ASSIGN(const std::string_view piece, inflater.Pull());
    plain += piece;
  }
  EXPECT_EQ(plain, text);
}

}  // namespace
}  // namespace hearth::http
