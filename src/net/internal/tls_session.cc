#include "net/internal/tls_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <climits>

namespace hearth::net {
namespace {

Status CertificateTrouble(std::string message) {
  return {Code::kUnauthenticated, "CertificateInvalid", std::move(message)};
}

bool IsAboutCertificates(int alert) {
  constexpr int kAlerts[] = {SSL_AD_BAD_CERTIFICATE,     SSL_AD_UNSUPPORTED_CERTIFICATE,
                             SSL_AD_CERTIFICATE_REVOKED, SSL_AD_CERTIFICATE_EXPIRED,
                             SSL_AD_CERTIFICATE_UNKNOWN, SSL_AD_UNKNOWN_CA,
                             SSL_AD_ACCESS_DENIED,       SSL_AD_CERTIFICATE_REQUIRED};
  return std::find(std::begin(kAlerts), std::end(kAlerts), alert) != std::end(kAlerts);
}

std::string ExpectedName(SSL* ssl) {
  const char* host = X509_VERIFY_PARAM_get0_host(SSL_get0_param(ssl), 0);
  if (host != nullptr) {
    return host;
  }
  char* address = X509_VERIFY_PARAM_get1_ip_asc(SSL_get0_param(ssl));
  std::string name = address == nullptr ? "" : address;
  OPENSSL_free(address);
  return name;
}

Status RefusedByUs(SSL* ssl) {
  const long verdict = SSL_get_verify_result(ssl);  // NOLINT(google-runtime-int)
  std::string message =
      fmt::format("the peer's certificate is refused: {}", X509_verify_cert_error_string(verdict));
  if (verdict == X509_V_ERR_HOSTNAME_MISMATCH || verdict == X509_V_ERR_IP_ADDRESS_MISMATCH) {
    message += fmt::format(" (it is not for \"{}\")", ExpectedName(ssl));
  }
  return CertificateTrouble(std::move(message));
}

// What the error queue tells about a failed step; empties the queue.
Status FromErrorQueue(SSL* ssl, std::string_view doing) {
  const unsigned long error = ERR_peek_error();  // NOLINT(google-runtime-int)
  const int reason = ERR_GET_LIB(error) == ERR_LIB_SSL ? ERR_GET_REASON(error) : 0;
  const std::string text = TakeOpensslError();
  if (reason == SSL_R_CERTIFICATE_VERIFY_FAILED) {
    return RefusedByUs(ssl);
  }
  if (reason == SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE) {
    return CertificateTrouble("the peer shows no certificate");
  }
  if (reason > SSL_AD_REASON_OFFSET && IsAboutCertificates(reason - SSL_AD_REASON_OFFSET)) {
    return CertificateTrouble("the peer refuses our certificate, or misses one: " + text);
  }
  if (reason == SSL_R_WRONG_VERSION_NUMBER || reason == SSL_R_HTTP_REQUEST) {
    return UnavailableError("the peer does not speak TLS: " + text);
  }
  return UnavailableError(fmt::format("{}: {}", doing, text));
}

bool IsUnexpectedEof() {
  const unsigned long error = ERR_peek_error();  // NOLINT(google-runtime-int)
  return ERR_GET_LIB(error) == ERR_LIB_SSL &&
         ERR_GET_REASON(error) == SSL_R_UNEXPECTED_EOF_WHILE_READING;
}

// Told of every message of TLS; `flag` is a bool.
void NoteKeyUpdate(int sent, int /*version*/, int type, const void* message, size_t size,
                   SSL* /*ssl*/, void* flag) {
  const bool received = sent == 0 && type == SSL3_RT_HANDSHAKE && size > 0;
  if (received && *static_cast<const unsigned char*>(message) == SSL3_MT_KEY_UPDATE) {
    *static_cast<bool*>(flag) = true;
  }
}

std::string TextOf(const X509_NAME_ENTRY* entry) {
  unsigned char* text = nullptr;
  const int size = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(entry));
  std::string result;
  if (size > 0) {
    result.assign(reinterpret_cast<char*>(text), static_cast<size_t>(size));
  }
  OPENSSL_free(text);
  return result;
}

std::vector<std::string> NamesOf(const X509_NAME* subject, int id) {
  std::vector<std::string> names;
  int at = -1;
  while ((at = X509_NAME_get_index_by_NID(subject, id, at)) >= 0) {
    names.push_back(TextOf(X509_NAME_get_entry(subject, at)));
  }
  return names;
}

}  // namespace

TlsSession::TlsSession(SslPtr ssl, SocketIo& io) : ssl_(std::move(ssl)), io_(io) {
  BIO* bio = NewSocketBio(io).release();
  SSL_set_bio(ssl_.get(), bio, bio);  // the session owns it now
}

IoResult TlsSession::Explain(int result, std::string_view doing) {
  switch (SSL_get_error(ssl_.get(), result)) {
    case SSL_ERROR_WANT_READ:
      return {IoCode::kWantRead, 0, {}};
    case SSL_ERROR_WANT_WRITE:
      return {IoCode::kWantWrite, 0, {}};
    case SSL_ERROR_ZERO_RETURN:
      return {IoCode::kClosed, 0, {}};
    case SSL_ERROR_SYSCALL:
      return io_.failure().ok() ? IoResult{IoCode::kCut, 0, {}} : IoResult::Failed(io_.failure());
    default:
      if (IsUnexpectedEof()) {
        ERR_clear_error();
        return {IoCode::kCut, 0, {}};
      }
      return IoResult::Failed(FromErrorQueue(ssl_.get(), doing));
  }
}

IoResult TlsSession::Handshake() {
  ERR_clear_error();
  const int result = SSL_do_handshake(ssl_.get());
  return result == 1 ? IoResult::Moved(0) : Explain(result, "TLS handshake");
}

IoResult TlsSession::Read(char* to, size_t size) {
  ERR_clear_error();
  size_t count = 0;
  const int result = SSL_read_ex(ssl_.get(), to, size, &count);
  IoResult read = result == 1 ? IoResult::Moved(count) : Explain(result, "TLS read");
  if (SSL_get_key_update_type(ssl_.get()) == SSL_KEY_UPDATE_NOT_REQUESTED) {
    (void)SendKeyUpdate(SSL_KEY_UPDATE_NOT_REQUESTED);
  }
  return read;
}

IoResult TlsSession::Write(std::string_view bytes) {
  ERR_clear_error();
  size_t count = 0;
  const int result = SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &count);
  questions_ = result == 1 ? 0 : questions_;
  return result == 1 ? IoResult::Moved(count) : Explain(result, "TLS write");
}

size_t TlsSession::LeastOnTheWire(size_t bytes) const {
  constexpr size_t kRecordFrame = 21;  // a header of 5 bytes, a tag of 16
  const bool between_records =
      SSL_has_pending(ssl_.get()) == 0 && std::string_view(SSL_rstate_string(ssl_.get())) == "RH";
  return bytes == 0 || !between_records ? 0 : bytes + kRecordFrame;
}

bool TlsSession::AskForLife() {
  // Servers written in Go hang up after 16 records in a row that bring no data.
  constexpr int kMostQuestions = 12;
  if (SSL_version(ssl_.get()) != TLS1_3_VERSION || questions_ == kMostQuestions) {
    return false;
  }
  ++questions_;
  SSL_set_msg_callback(ssl_.get(), NoteKeyUpdate);
  SSL_set_msg_callback_arg(ssl_.get(), &sign_of_life_);
  return SendKeyUpdate(SSL_KEY_UPDATE_REQUESTED);
}

// What the socket does not take now goes out with the next read or write. False while a write
// waits.
bool TlsSession::SendKeyUpdate(int type) {
  ERR_clear_error();
  const bool begun = SSL_key_update(ssl_.get(), type) == 1;
  if (begun) {
    (void)SSL_do_handshake(ssl_.get());
  }
  ERR_clear_error();
  return begun;
}

void TlsSession::Close() {
  if (SSL_in_init(ssl_.get()) == 0) {
    ERR_clear_error();
    (void)SSL_shutdown(ssl_.get());
  }
  ERR_clear_error();
}

PeerIdentity TlsSession::peer() const {
  PeerIdentity identity;
  const X509* certificate = SSL_get0_peer_certificate(ssl_.get());
  if (certificate == nullptr || SSL_get_verify_result(ssl_.get()) != X509_V_OK) {
    return identity;
  }
  const X509_NAME* subject = X509_get_subject_name(certificate);
  std::vector<std::string> names = NamesOf(subject, NID_commonName);
  if (!names.empty()) {
    identity.common_name = std::move(names.back());
  }
  identity.organizations = NamesOf(subject, NID_organizationName);
  return identity;
}

}  // namespace hearth::net
