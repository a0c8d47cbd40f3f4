#include "net/internal/openssl.h"

#include <openssl/pem.h>

namespace hearth::net {
namespace {

int NoPassphrase(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*user*/) { return -1; }

}  // namespace

std::string TakeOpensslError() {
  const unsigned long error = ERR_get_error();  // NOLINT(google-runtime-int): OpenSSL's type
  ERR_clear_error();
  const char* reason = error == 0 ? nullptr : ERR_reason_error_string(error);
  return reason == nullptr ? "unknown TLS error" : reason;
}

X509Ptr ReadCertificate(BIO* bio) {
  ERR_clear_error();
  return X509Ptr(PEM_read_bio_X509(bio, nullptr, NoPassphrase, nullptr));
}

KeyPtr ReadPrivateKey(BIO* bio) {
  ERR_clear_error();
  return KeyPtr(PEM_read_bio_PrivateKey(bio, nullptr, NoPassphrase, nullptr));
}

}  // namespace hearth::net
