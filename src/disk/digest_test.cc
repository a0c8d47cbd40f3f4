#include "disk/digest.h"

#include <gtest/gtest.h>

#include <string>

namespace hearth::disk {
namespace {

TEST(Digest, TextIsReadBackAndOnlyInOneForm) {
  const Digest digest = DigestOf("weights");
  EXPECT_EQ(Digest::FromHex(digest.Hex()), digest);
  EXPECT_EQ(Digest::FromHex("0123456789ABCDEF0123456789abcdef"), std::nullopt);
  EXPECT_EQ(Digest::FromHex("12"), std::nullopt);
  // The published vector of XXH3-128 for no input.
  EXPECT_EQ(DigestOf("").Hex(), "99aa06d3014798d86001c324468d497f");
}

TEST(Digest, FindsTheOneByteThatIsNotZero) {
  std::string bytes(1000, '\0');
  EXPECT_TRUE(AllZero(bytes));
  for (const size_t at : {0, 63, 64, 500, 999}) {
    bytes[at] = 1;
    EXPECT_FALSE(AllZero(bytes)) << at;
    bytes[at] = 0;
  }
  EXPECT_TRUE(AllZero(""));
}

}  // namespace
}  // namespace hearth::disk
