#include "net/tls.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <openssl/pem.h>

#include <climits>

#include "net/internal/tls_context.h"

namespace hearth::net {
namespace {

Status BadPart(std::string_view part, std::string_view why) {
  return InvalidError(fmt::format("TLS material, {}: {}", part, why));
}

Status BadPartByOpenssl(std::string_view part, std::string_view what) {
  return BadPart(part, fmt::format("{}: {}", what, TakeOpensslError()));
}

// Whether the reader stopped because the text was over, and not on garbage.
bool AtEndOfPem() {
  const unsigned long error = ERR_peek_last_error();  // NOLINT(google-runtime-int)
  const bool end =
      ERR_GET_LIB(error) == ERR_LIB_PEM && ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
  return end;
}

// Calls `use(certificate)` for each certificate in the text; `use` returns false to fail.
template <typename Use>
Status ForEachCertificate(std::string_view part, std::string_view pem, Use use) {
  if (pem.size() > INT_MAX) {
    return BadPart(part, "far too long");
  }
  const BioPtr bio = MemoryBio(pem);
  int count = 0;
  while (X509Ptr certificate = ReadCertificate(bio.get())) {
    ++count;
    if (!use(std::move(certificate))) {
      return BadPartByOpenssl(part, fmt::format("certificate {} is not usable", count));
    }
  }
  if (!AtEndOfPem()) {
    return BadPartByOpenssl(part, fmt::format("certificate {} does not parse", count + 1));
  }
  ERR_clear_error();
  return count > 0 ? Status::Ok() : BadPart(part, "holds no PEM certificate");
}

Status AddAuthorities(SSL_CTX* context, const std::string& pem, bool server) {
  X509_STORE* store = SSL_CTX_get_cert_store(context);
  return ForEachCertificate("authorities (ca)", pem, [&](const X509Ptr& certificate) {
    // A server also tells its clients whose certificates it takes.
    return X509_STORE_add_cert(store, certificate.get()) == 1 &&
           (!server || SSL_CTX_add_client_CA(context, certificate.get()) == 1);
  });
}

Status UseCertificate(SSL_CTX* context, const std::string& pem) {
  bool first = true;
  return ForEachCertificate("certificate", pem, [&](X509Ptr certificate) {
    if (first) {
      first = false;
      return SSL_CTX_use_certificate(context, certificate.get()) == 1;
    }
    if (SSL_CTX_add0_chain_cert(context, certificate.get()) != 1) {
      return false;
    }
    (void)certificate.release();  // the context owns it now
    return true;
  });
}

Status UsePrivateKey(SSL_CTX* context, const std::string& pem) {
  const KeyPtr key = ReadPrivateKey(MemoryBio(pem).get());
  if (key == nullptr) {
    return BadPartByOpenssl("private key", "does not parse (it must be PEM without a passphrase)");
  }
  if (SSL_CTX_use_PrivateKey(context, key.get()) != 1 || SSL_CTX_check_private_key(context) != 1) {
    return BadPartByOpenssl("private key", "does not fit the certificate");
  }
  return Status::Ok();
}

Status UseIdentity(SSL_CTX* context, const TlsMaterial& material) {
  if (material.certificate_pem.empty() != material.private_key_pem.empty()) {
    return material.certificate_pem.empty()
               ? BadPart("certificate", "is missing while a private key is given")
               : BadPart("private key", "is missing while a certificate is given");
  }
  if (material.certificate_pem.empty()) {
    return Status::Ok();
  }
  RETURN_IF_ERROR(UseCertificate(context, material.certificate_pem));
  return UsePrivateKey(context, material.private_key_pem);
}

void SetUp(SSL_CTX* context) {
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  // The shorter key first: safe as well, and a third cheaper.
  SSL_CTX_set_ciphersuites(
      context, "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256");
  // Idle connections give their buffers back. Retried writes may come from another address, since
  // our buffers move.
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  // Connections live long; resuming them would save little, and would outlive a replaced
  // certificate.
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context, 0);
  // One read from the socket for header and body of a record.
  SSL_CTX_set_read_ahead(context, 1);
  // Whoever is listed as trusted is trusted, be it a root or not; names count only as alternative
  // names.
  X509_VERIFY_PARAM* verify = SSL_CTX_get0_param(context);
  X509_VERIFY_PARAM_set_flags(verify, X509_V_FLAG_PARTIAL_CHAIN);
  X509_VERIFY_PARAM_set_hostflags(
      verify, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
}

Status SetUpClient(SSL_CTX* context, const TlsMaterial& material,
                   const TlsContext::Options& options) {
  if (!options.verify_peer) {
    SSL_CTX_set_verify(context, SSL_VERIFY_NONE, nullptr);
    return Status::Ok();
  }
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  if (!material.ca_pem.empty()) {
    return AddAuthorities(context, material.ca_pem, false);
  }
  // Reads many files, so only when nobody else is named.
  if (SSL_CTX_set_default_verify_paths(context) != 1) {
    return BadPartByOpenssl("authorities (ca)", "the system's cannot be read");
  }
  return Status::Ok();
}

Status SetUpServer(SSL_CTX* context, const TlsMaterial& material,
                   const TlsContext::Options& options) {
  if (material.certificate_pem.empty()) {
    return BadPart("certificate", "a server needs one");
  }
  if (material.ca_pem.empty()) {
    return options.require_client_certificate
               ? BadPart("authorities (ca)", "needed to verify the client certificates asked for")
               : Status::Ok();
  }
  const int require = options.require_client_certificate ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0;
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | require, nullptr);
  return AddAuthorities(context, material.ca_pem, true);
}

Result<SslCtxPtr> BuildContext(const TlsMaterial& material, const TlsContext::Options& options) {
  // Not the machine's openssl.cnf: it is made for the machine's OpenSSL, not for the one linked in
  // here, and takes its time. What matters is set below.
  OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);
  SslCtxPtr context(SSL_CTX_new(options.server ? TLS_server_method() : TLS_client_method()));
  if (context == nullptr) {
    return InternalError("making a TLS context: " + TakeOpensslError());
  }
  SetUp(context.get());
  RETURN_IF_ERROR(UseIdentity(context.get(), material));
  RETURN_IF_ERROR(options.server ? SetUpServer(context.get(), material, options)
                                 : SetUpClient(context.get(), material, options));
  return context;
}

bool IsAddress(const std::string& host) {
  in6_addr scratch;
  return inet_pton(AF_INET, host.c_str(), &scratch) == 1 ||
         inet_pton(AF_INET6, host.c_str(), &scratch) == 1;
}

Status ExpectServer(SSL* ssl, const std::string& name, bool verify) {
  X509_VERIFY_PARAM* param = SSL_get0_param(ssl);
  bool fine = true;
  if (IsAddress(name)) {
    fine = !verify || X509_VERIFY_PARAM_set1_ip_asc(param, name.c_str()) == 1;
  } else if (!name.empty()) {
    fine = SSL_set_tlsext_host_name(ssl, name.c_str()) == 1 &&
           (!verify || X509_VERIFY_PARAM_set1_host(param, name.c_str(), name.size()) == 1);
  } else if (verify) {
    return InvalidError("TLS to a unix socket needs a server name to verify");
  }
  return fine ? Status::Ok() : InvalidError("TLS server name \"" + name + "\" cannot be used");
}

}  // namespace

Result<std::shared_ptr<TlsContext>> TlsContext::Create(const TlsMaterial& material,
                                                       Options options) {
  ASSIGN_OR_RETURN(SslCtxPtr context, BuildContext(material, options));
  return std::shared_ptr<TlsContext>(
      std::make_shared<OpensslContext>(std::move(context), std::move(options)));
}

Status OpensslContext::Replace(const TlsMaterial& material) {
  ASSIGN_OR_RETURN(SslCtxPtr context, BuildContext(material, options_));
  std::lock_guard lock(mutex_);
  context_.swap(context);
  return Status::Ok();
}

SslCtxPtr OpensslContext::Current() const {
  std::lock_guard lock(mutex_);
  SSL_CTX_up_ref(context_.get());
  return SslCtxPtr(context_.get());
}

Result<SslPtr> OpensslContext::NewSession(const std::string& host) const {
  SslPtr ssl(SSL_new(Current().get()));  // keeps the context alive itself
  if (ssl == nullptr) {
    return InternalError("making a TLS session: " + TakeOpensslError());
  }
  if (options_.server) {
    SSL_set_accept_state(ssl.get());
    return ssl;
  }
  SSL_set_connect_state(ssl.get());
  const std::string& name = options_.server_name.empty() ? host : options_.server_name;
  RETURN_IF_ERROR(ExpectServer(ssl.get(), name, options_.verify_peer));
  return ssl;
}

}  // namespace hearth::net
