#include "base/hash.h"

#include <gtest/gtest.h>

#include <string>

namespace hearth {
namespace {

TEST(HashBytes, IsStableAcrossMachines) {
  // XXH3's published value for empty input and seed 0: stored hashes must mean the same for ever.
  EXPECT_EQ(HashBytes(""), 0x2d06800538d394c2U);
}

TEST(HashBytes, DependsOnBytesAndSeed) {
  const std::string bytes(1000, 'a');
  std::string other = bytes;
  other.back() = 'b';
  EXPECT_EQ(HashBytes(bytes), HashBytes(std::string(1000, 'a')));
  EXPECT_NE(HashBytes(bytes), HashBytes(other));
  EXPECT_NE(HashBytes(bytes), HashBytes(bytes, 1));
}

}  // namespace
}  // namespace hearth
