#include "disk/digest.h"

#define XXH_INLINE_ALL
#include <gtest/gtest.h>
#include <xxhash.h>

#include <random>
#include <string>

#include "disk/internal/wide_digest.h"

namespace hearth::disk {
namespace {

std::string RandomBytes(size_t size) {
  std::mt19937 random(static_cast<unsigned>(size));
  std::string bytes(size, '\0');
  for (char& byte : bytes) {
    byte = static_cast<char>(random());
  }
  return bytes;
}

// Lengths around which the function changes its way.
constexpr size_t kLengths[] = {0,    1,    3,    4,     8,     9,          16,
                               17,   128,  129,  240,   241,   512,        1023,
                               1024, 1025, 4096, 65536, 65537, (1U << 20), (1U << 20) + 13};

TEST(Digest, IsTheSameOnEveryProcessor) {
  for (const size_t length : kLengths) {
    const std::string bytes = RandomBytes(length);
    const XXH128_hash_t plain = XXH3_128bits(bytes.data(), bytes.size());
    const Digest expected{.high = plain.high64, .low = plain.low64};
    EXPECT_EQ(DigestOf(bytes), expected) << length;
    if (HasWideRegisters()) {
      EXPECT_EQ(WideDigestOf(bytes.data(), bytes.size()), expected) << length;
    }
  }
}

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
