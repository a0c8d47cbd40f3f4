#include <fmt/format.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/rand.h>

#include <climits>
#include <ctime>

#include "net/internal/openssl.h"
#include "net/tls.h"

namespace hearth::net {
namespace {

using BigNumberPtr = std::unique_ptr<BIGNUM, OpensslFree<BN_free>>;
using ExtensionPtr = std::unique_ptr<X509_EXTENSION, OpensslFree<X509_EXTENSION_free>>;
using GeneralNamesPtr = std::unique_ptr<GENERAL_NAMES, OpensslFree<GENERAL_NAMES_free>>;
using GeneralNamePtr = std::unique_ptr<GENERAL_NAME, OpensslFree<GENERAL_NAME_free>>;

constexpr int kSerialBits = 127;
// Machines whose clocks are a little behind take the certificate all the same.
constexpr std::chrono::minutes kClockSkew{5};

Status Failed(std::string_view what) {
  return InvalidError(fmt::format("making a certificate, {}: {}", what, TakeOpensslError()));
}

Status Require(bool fine, std::string_view what) { return fine ? Status::Ok() : Failed(what); }

// A certificate authority, parsed: whose name and key sign.
struct Issuer {
  X509Ptr certificate;
  KeyPtr key;
};

Result<Issuer> ParseIssuer(const CertificatePair& pair) {
  Issuer issuer{ReadCertificate(MemoryBio(pair.certificate_pem).get()),
                ReadPrivateKey(MemoryBio(pair.private_key_pem).get())};
  RETURN_IF_ERROR(Require(issuer.certificate != nullptr, "the authority's certificate"));
  RETURN_IF_ERROR(Require(issuer.key != nullptr, "the authority's private key"));
  RETURN_IF_ERROR(Require(X509_check_private_key(issuer.certificate.get(), issuer.key.get()) == 1,
                          "the authority's key does not fit its certificate"));
  return issuer;
}

Status SetSerial(X509* certificate) {
  const BigNumberPtr number(BN_new());
  const bool fine = number != nullptr &&
                    BN_rand(number.get(), kSerialBits, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) == 1 &&
                    BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr;
  return Require(fine, "the serial number");
}

time_t Seconds(WallTime time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

Status SetValidity(X509* certificate, const CertificateRequest& request, Clock& clock) {
  const WallTime now = clock.WallNow();
  const bool fine =
      ASN1_TIME_set(X509_getm_notBefore(certificate), Seconds(now - kClockSkew)) != nullptr &&
      ASN1_TIME_set(X509_getm_notAfter(certificate), Seconds(now + request.lifetime)) != nullptr;
  return Require(fine, "the time of validity");
}

bool AddToName(X509_NAME* name, const char* field, const std::string& value) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(value.data());
  return X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8, bytes,
                                    static_cast<int>(value.size()), -1, 0) == 1;
}

Status SetSubject(X509* certificate, const CertificateRequest& request) {
  X509_NAME* name = X509_get_subject_name(certificate);
  for (const std::string& organization : request.organizations) {
    RETURN_IF_ERROR(Require(AddToName(name, "O", organization),
                            fmt::format("organization \"{}\"", organization)));
  }
  return Require(request.common_name.empty() || AddToName(name, "CN", request.common_name),
                 fmt::format("common name \"{}\" (64 characters at most)", request.common_name));
}

Status AddExtension(X509* certificate, X509* issuer, int id, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const ExtensionPtr extension(X509V3_EXT_conf_nid(nullptr, &context, id, value));
  const bool fine = extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1;
  return Require(fine, fmt::format("extension {}", value));
}

// Takes over `value`; false when there is none or no room.
bool PushName(GENERAL_NAMES* names, int type, ASN1_STRING* value) {
  GeneralNamePtr name(GENERAL_NAME_new());
  if (name == nullptr || value == nullptr) {
    ASN1_STRING_free(value);
    return false;
  }
  GENERAL_NAME_set0_value(name.get(), type, value);
  if (sk_GENERAL_NAME_push(names, name.get()) == 0) {
    return false;
  }
  (void)name.release();  // the list owns it now
  return true;
}

ASN1_STRING* Ia5String(const std::string& text) {
  ASN1_STRING* string = ASN1_IA5STRING_new();
  if (string != nullptr) {
    ASN1_STRING_set(string, text.data(), static_cast<int>(text.size()));
  }
  return string;
}

// Built as data and not from OpenSSL's configuration language, where a comma in a name would mean
// something.
Status AddAlternativeNames(X509* certificate, const CertificateRequest& request) {
  const GeneralNamesPtr names(GENERAL_NAMES_new());
  for (const std::string& name : request.dns_names) {
    RETURN_IF_ERROR(Require(PushName(names.get(), GEN_DNS, Ia5String(name)), "a DNS name"));
  }
  for (const std::string& address : request.ip_addresses) {
    RETURN_IF_ERROR(Require(PushName(names.get(), GEN_IPADD, a2i_IPADDRESS(address.c_str())),
                            fmt::format("IP address \"{}\"", address)));
  }
  if (sk_GENERAL_NAME_num(names.get()) == 0) {
    return Status::Ok();
  }
  return Require(
      X509_add1_ext_i2d(certificate, NID_subject_alt_name, names.get(), 0, X509V3_ADD_APPEND) == 1,
      "the alternative names");
}

Status AddExtensions(X509* certificate, X509* issuer, const CertificateRequest& request) {
  const bool ca = request.is_ca;
  RETURN_IF_ERROR(AddExtension(certificate, issuer, NID_basic_constraints,
                               ca ? "critical,CA:TRUE" : "critical,CA:FALSE"));
  RETURN_IF_ERROR(AddExtension(
      certificate, issuer, NID_key_usage,
      ca ? "critical,digitalSignature,keyCertSign,cRLSign" : "critical,digitalSignature"));
  if (!ca) {
    RETURN_IF_ERROR(AddExtension(certificate, issuer, NID_ext_key_usage, "serverAuth,clientAuth"));
  }
  RETURN_IF_ERROR(AddExtension(certificate, issuer, NID_subject_key_identifier, "hash"));
  RETURN_IF_ERROR(AddExtension(certificate, issuer, NID_authority_key_identifier, "keyid"));
  return AddAlternativeNames(certificate, request);
}

std::string Content(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);  // NOLINT(google-runtime-int)
  return std::string(data, static_cast<size_t>(size));
}

Result<CertificatePair> ToPem(X509* certificate, EVP_PKEY* key) {
  const BioPtr certificate_text(BIO_new(BIO_s_mem()));
  const BioPtr key_text(BIO_new(BIO_s_mem()));
  const bool fine =
      PEM_write_bio_X509(certificate_text.get(), certificate) == 1 &&
      PEM_write_bio_PrivateKey(key_text.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1;
  RETURN_IF_ERROR(Require(fine, "writing it down"));
  return CertificatePair{Content(certificate_text.get()), Content(key_text.get())};
}

}  // namespace

Result<CertificatePair> MakeCertificate(const CertificateRequest& request, Clock& clock,
                                        const CertificatePair* ca) {
  Issuer issuer;
  if (ca != nullptr) {
    ASSIGN_OR_RETURN(issuer, ParseIssuer(*ca));
  }
  const KeyPtr key(EVP_EC_gen("P-256"));
  const X509Ptr certificate(X509_new());
  RETURN_IF_ERROR(Require(key != nullptr && certificate != nullptr, "its key"));
  X509* const signer = ca != nullptr ? issuer.certificate.get() : certificate.get();
  EVP_PKEY* const signer_key = ca != nullptr ? issuer.key.get() : key.get();

  RETURN_IF_ERROR(Require(X509_set_version(certificate.get(), X509_VERSION_3) == 1, "version"));
  RETURN_IF_ERROR(SetSerial(certificate.get()));
  RETURN_IF_ERROR(SetValidity(certificate.get(), request, clock));
  RETURN_IF_ERROR(SetSubject(certificate.get(), request));
  RETURN_IF_ERROR(Require(X509_set_pubkey(certificate.get(), key.get()) == 1, "its key"));
  RETURN_IF_ERROR(
      Require(X509_set_issuer_name(certificate.get(), X509_get_subject_name(signer)) == 1,
              "the issuer's name"));
  RETURN_IF_ERROR(AddExtensions(certificate.get(), signer, request));
  RETURN_IF_ERROR(Require(X509_sign(certificate.get(), signer_key, EVP_sha256()) > 0, "signing"));
  return ToPem(certificate.get(), key.get());
}

Result<WallTime> CertificateExpiry(std::string_view pem) {
  if (pem.size() > INT_MAX) {
    return InvalidError("the certificate is far too long");
  }
  const X509Ptr certificate = ReadCertificate(MemoryBio(pem).get());
  tm end{};
  if (certificate == nullptr || ASN1_TIME_to_tm(X509_get0_notAfter(certificate.get()), &end) != 1) {
    return InvalidError("reading a certificate's end of validity: " + TakeOpensslError());
  }
  // Clamped by the caller's type: years beyond 2262 do not fit nanoseconds.
  constexpr time_t kLast =
      std::chrono::duration_cast<std::chrono::seconds>(Duration::max()).count();
  return WallTime(std::chrono::seconds(std::min<time_t>(timegm(&end), kLast)));
}

}  // namespace hearth::net
