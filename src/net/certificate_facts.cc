#include "net/certificate_facts.h"

#include <arpa/inet.h>
#include <openssl/pem.h>

#include <algorithm>
#include <climits>
#include <ctime>

#include "net/internal/openssl.h"

namespace hearth::net {
namespace {

using GeneralNamesPtr = std::unique_ptr<GENERAL_NAMES, OpensslFree<GENERAL_NAMES_free>>;

Result<X509Ptr> ReadFirst(std::string_view pem, std::string_view what) {
  if (pem.size() > INT_MAX) {
    return InvalidError(std::string(what) + " is far too long");
  }
  X509Ptr certificate = ReadCertificate(MemoryBio(pem).get());
  if (certificate == nullptr) {
    return InvalidError(std::string(what) + " does not parse: " + TakeOpensslError());
  }
  return certificate;
}

std::string TextOf(const ASN1_STRING* string) {
  const auto* bytes = reinterpret_cast<const char*>(ASN1_STRING_get0_data(string));
  return std::string(bytes, static_cast<size_t>(ASN1_STRING_length(string)));
}

std::vector<std::string> NameEntries(const X509* certificate, int id) {
  const X509_NAME* name = X509_get_subject_name(certificate);
  std::vector<std::string> entries;
  for (int at = -1; (at = X509_NAME_get_index_by_NID(name, id, at)) >= 0;) {
    entries.push_back(TextOf(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, at))));
  }
  return entries;
}

std::string AddressText(int family, const unsigned char* address) {
  char text[INET6_ADDRSTRLEN] = "";
  ::inet_ntop(family, address, text, sizeof(text));
  return text;
}

std::string AddressText(const ASN1_OCTET_STRING* address) {
  const int size = ASN1_STRING_length(address);
  return size == 4 || size == 16
             ? AddressText(size == 4 ? AF_INET : AF_INET6, ASN1_STRING_get0_data(address))
             : "";
}

void ReadAlternativeNames(const X509* certificate, CertificateFacts& facts) {
  const GeneralNamesPtr names(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; names != nullptr && i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type == GEN_DNS) {
      facts.dns_names.push_back(TextOf(name->d.dNSName));
    } else if (name->type == GEN_IPADD) {
      facts.ip_addresses.push_back(AddressText(name->d.iPAddress));
    }
  }
}

Result<WallTime> TimeOf(const ASN1_TIME* time) {
  tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) {
    return InvalidError("reading a certificate's time of validity: " + TakeOpensslError());
  }
  // Years beyond 2262 do not fit nanoseconds.
  constexpr time_t kLast =
      std::chrono::duration_cast<std::chrono::seconds>(Duration::max()).count();
  return WallTime(std::chrono::seconds(std::clamp<time_t>(timegm(&parts), -kLast, kLast)));
}

std::string WritePem(X509* certificate) {
  const BioPtr bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(bio.get(), certificate);
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);  // NOLINT(google-runtime-int)
  return std::string(data, static_cast<size_t>(size));
}

}  // namespace

std::string CanonicalAddress(const std::string& address) {
  for (const int family : {AF_INET, AF_INET6}) {
    unsigned char bytes[16];
    if (::inet_pton(family, address.c_str(), bytes) == 1) {
      return AddressText(family, bytes);
    }
  }
  return address;
}

Result<CertificateFacts> ReadCertificateFacts(std::string_view pem) {
  ASSIGN_OR_RETURN(const X509Ptr certificate, ReadFirst(pem, "the certificate"));
  CertificateFacts facts;
  const auto names = NameEntries(certificate.get(), NID_commonName);
  facts.common_name = names.empty() ? "" : names.front();
  facts.organizations = NameEntries(certificate.get(), NID_organizationName);
  ReadAlternativeNames(certificate.get(), facts);
  ASSIGN_OR_RETURN(facts.not_before, TimeOf(X509_get0_notBefore(certificate.get())));
  ASSIGN_OR_RETURN(facts.not_after, TimeOf(X509_get0_notAfter(certificate.get())));
  facts.is_ca = X509_check_ca(certificate.get()) == 1;
  return facts;
}

Result<std::vector<std::string>> SplitCertificates(std::string_view pem) {
  if (pem.size() > INT_MAX) {
    return InvalidError("the certificates are far too long");
  }
  std::vector<std::string> all;
  const BioPtr bio = MemoryBio(pem);
  while (const X509Ptr certificate = ReadCertificate(bio.get())) {
    all.push_back(WritePem(certificate.get()));
  }
  const unsigned long error = ERR_peek_last_error();  // NOLINT(google-runtime-int)
  if (ERR_GET_LIB(error) != ERR_LIB_PEM || ERR_GET_REASON(error) != PEM_R_NO_START_LINE) {
    return InvalidError("one of the certificates does not parse: " + TakeOpensslError());
  }
  ERR_clear_error();
  return all;
}

Status CheckSignedBy(std::string_view certificate_pem, std::string_view authority_pem) {
  ASSIGN_OR_RETURN(const X509Ptr certificate, ReadFirst(certificate_pem, "the certificate"));
  ASSIGN_OR_RETURN(const X509Ptr authority, ReadFirst(authority_pem, "the authority"));
  ERR_clear_error();
  const bool fits = X509_check_issued(authority.get(), certificate.get()) == X509_V_OK &&
                    X509_verify(certificate.get(), X509_get0_pubkey(authority.get())) == 1;
  ERR_clear_error();
  return fits ? Status::Ok() : InvalidError("the certificate was not signed by the authority");
}

Status CheckKeyFits(const CertificatePair& pair) {
  ASSIGN_OR_RETURN(const X509Ptr certificate, ReadFirst(pair.certificate_pem, "the certificate"));
  if (pair.private_key_pem.size() > INT_MAX) {
    return InvalidError("the private key is far too long");
  }
  const KeyPtr key = ReadPrivateKey(MemoryBio(pair.private_key_pem).get());
  if (key == nullptr) {
    return InvalidError("the private key does not parse: " + TakeOpensslError());
  }
  const bool fits = X509_check_private_key(certificate.get(), key.get()) == 1;
  ERR_clear_error();
  return fits ? Status::Ok() : InvalidError("the private key does not fit the certificate");
}

}  // namespace hearth::net
