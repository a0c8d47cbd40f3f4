#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "net/tls.h"

namespace hearth::net {

// What a certificate says.
struct CertificateFacts {
  std::string common_name;
  std::vector<std::string> organizations;
  std::vector<std::string> dns_names;
  std::vector<std::string> ip_addresses;  // as inet_ntop writes them
  WallTime not_before;
  WallTime not_after;
  bool is_ca = false;
};

// Of the first certificate in the text.
Result<CertificateFacts> ReadCertificateFacts(std::string_view pem);

// An address as `ip_addresses` has it, whichever way it was spelt: "0:0::1" is "::1". What is no
// address comes back as it is.
std::string CanonicalAddress(const std::string& address);

// Every certificate in the text as text of its own, always written the same way: equal certificates
// are equal strings. kInvalid on garbage; none is an empty list.
Result<std::vector<std::string>> SplitCertificates(std::string_view pem);

// Whether the first certificate was signed by the first one of `authority_pem`, whatever the date.
Status CheckSignedBy(std::string_view certificate_pem, std::string_view authority_pem);
// Whether the private key is that of the first certificate.
Status CheckKeyFits(const CertificatePair& pair);

}  // namespace hearth::net
