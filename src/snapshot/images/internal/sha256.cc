#include "snapshot/images/internal/sha256.h"

// What OpenSSL recommends instead reads its configuration, which in a container is somebody else's.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <fmt/format.h>
#include <openssl/sha.h>

#include <array>

#include "base/check.h"

namespace hearth::snapshot::images {

std::string Sha256Hex(std::string_view bytes) {
  SHA256_CTX context;
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  CHECK(SHA256_Init(&context) == 1);
  CHECK(SHA256_Update(&context, bytes.data(), bytes.size()) == 1);
  CHECK(SHA256_Final(digest.data(), &context) == 1);
  std::string hex;
  for (const unsigned char byte : digest) {
    hex += fmt::format("{:02x}", byte);
  }
  return hex;
}

}  // namespace hearth::snapshot::images
