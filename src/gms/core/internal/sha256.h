#pragma once

// The plain functions are what OpenSSL calls deprecated; what it recommends instead brings all of its
// ciphers and providers into the program, which is more than the rest of it together.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"

namespace hearth::gms::internal {

// SHA-256 of pieces given one after the other.
class Sha256 {
 public:
  Sha256() { CHECK(SHA256_Init(&context_) == 1); }
  void Add(std::string_view bytes) {
    CHECK(SHA256_Update(&context_, bytes.data(), bytes.size()) == 1);
  }
  // Once.
  std::string Hex() {
    std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
    CHECK(SHA256_Final(digest.data(), &context_) == 1);
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string hex;
    for (const unsigned char byte : digest) {
      hex += kDigits[byte >> 4U];
      hex += kDigits[byte & 15U];
    }
    return hex;
  }

 private:
  SHA256_CTX context_;
};

}  // namespace hearth::gms::internal
