#include "base/sha256.h"

// The plain functions are what OpenSSL calls deprecated. What it recommends instead brings all of
// its ciphers and providers into the program, and reads its configuration, which in a container is
// somebody else's.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

#include <array>

#include "base/check.h"

namespace hearth {

struct Sha256::Context {
  SHA256_CTX state;
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {
  CHECK(SHA256_Init(&context_->state) == 1);
}

Sha256::~Sha256() = default;

void Sha256::Add(std::string_view bytes) {
  CHECK(SHA256_Update(&context_->state, bytes.data(), bytes.size()) == 1);
}

std::string Sha256::Hex() {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  CHECK(SHA256_Final(digest.data(), &context_->state) == 1);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (const unsigned char byte : digest) {
    hex += kDigits[byte >> 4U];
    hex += kDigits[byte & 15U];
  }
  return hex;
}

std::string Sha256Hex(std::string_view bytes) {
  Sha256 sha;
  sha.Add(bytes);
  return sha.Hex();
}

}  // namespace hearth
