#include "base/base64.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "base/testing/status_matchers.h"

namespace hearth {
namespace {

constexpr std::pair<std::string_view, std::string_view> kKnown[] = {
    {"", ""},
    {"f", "Zg=="},
    {"fo", "Zm8="},
    {"foo", "Zm9v"},
    {"foob", "Zm9vYg=="},
    {"fooba", "Zm9vYmE="},
    {"foobar", "Zm9vYmFy"},
    {"\xFB\xFF\xFE", "+//+"},
};

TEST(Base64, EncodesAndDecodesKnownPairs) {
  for (const auto& [bytes, text] : kKnown) {
    EXPECT_EQ(EncodeBase64(bytes), text);
    ASSERT_OK_AND_ASSIGN(const std::string decoded, DecodeBase64(text));
    EXPECT_EQ(decoded, bytes);
  }
}

TEST(Base64, RoundTripsAllLengths) {
  Random random(1);
  std::string bytes;
  for (int i = 0; i < 200; ++i) {
    ASSERT_OK_AND_ASSIGN(const std::string decoded, DecodeBase64(EncodeBase64(bytes)));
    EXPECT_EQ(decoded, bytes);
    bytes += static_cast<char>(random.Next());
  }
}

TEST(Base64, DecodingSkipsLineBreaks) {
  ASSERT_OK_AND_ASSIGN(const std::string decoded, DecodeBase64("Zm9v\r\nYg=\n=\n"));
  EXPECT_EQ(decoded, "foob");
}

TEST(Base64, DecodingRefusesEverythingElseAndSaysWhere) {
  const std::string_view kBad[] = {"Zg",    "Z",        "Zg=",   "Zg===", "=",    "Z===",
                                   "Zm9v=", "Zg==Zg==", "Zm 9v", "Zm9-",  "Zm9_", "Zm9v\xFF"};
  for (std::string_view bad : kBad) {
    SCOPED_TRACE(bad);
    EXPECT_CODE(Code::kInvalid, DecodeBase64(bad));
  }
  EXPECT_EQ(DecodeBase64("Zm 9v").status().message(), "base64 text: not a base64 letter at byte 2");
}

}  // namespace
}  // namespace hearth
