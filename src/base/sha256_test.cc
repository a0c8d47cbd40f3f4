#include "base/sha256.h"

#include <gtest/gtest.h>

namespace hearth {
namespace {

// The examples of FIPS 180-4.
TEST(Sha256, IsTheOneThatOthersKnow) {
  EXPECT_EQ(Sha256Hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256Hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(Sha256, PiecesAreOneText) {
  Sha256 sha;
  for (const char* const piece : {"a", "", "bc"}) {
    sha.Add(piece);
  }
  EXPECT_EQ(sha.Hex(), Sha256Hex("abc"));
}

}  // namespace
}  // namespace hearth
