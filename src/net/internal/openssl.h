#pragma once

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

// Owners for OpenSSL's objects.
namespace hearth::net {

template <auto free_function>
struct OpensslFree {
  template <typename T>
  void operator()(T* object) const {
    free_function(object);
  }
};

using SslCtxPtr = std::unique_ptr<SSL_CTX, OpensslFree<SSL_CTX_free>>;
using SslPtr = std::unique_ptr<SSL, OpensslFree<SSL_free>>;
using BioPtr = std::unique_ptr<BIO, OpensslFree<BIO_free>>;
using X509Ptr = std::unique_ptr<X509, OpensslFree<X509_free>>;
using X509StorePtr = std::unique_ptr<X509_STORE, OpensslFree<X509_STORE_free>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, OpensslFree<EVP_PKEY_free>>;

// A source that reads from `text`, which must outlive it.
inline BioPtr MemoryBio(std::string_view text) {
  return BioPtr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

// OpenSSL's words for the oldest error of this thread, which is the one nearest the cause; empties
// the queue.
std::string TakeOpensslError();

// Reads the next certificate; null at the end or on garbage (then the error queue says what).
X509Ptr ReadCertificate(BIO* bio);
// Never asks for a passphrase on the terminal.
KeyPtr ReadPrivateKey(BIO* bio);

}  // namespace hearth::net
