#pragma once

#include <string>
#include <vector>

#include "json/value.h"
#include "json/view.h"
#include "net/tls.h"

namespace hearth::admission::certificates {

// What the Secret holds, as PEM. The first four under the names that upstream uses; the others are
// there only while one authority follows another.
struct Keyring {
  std::string serving_certificate;  // tls.crt
  std::string serving_key;          // tls.key
  std::string authority;            // ca.crt: signed what is served
  std::string authority_key;        // ca.key
  std::string next_authority;       // next-ca.crt: believed already, signs nothing yet
  std::string next_authority_key;   // next-ca.key
  std::string previous_authority;   // previous-ca.crt: believed still, sign nothing any more
  std::string previous_until;       // previous-ca.until: when they are forgotten, RFC 3339

  // What is not there is empty; so is what is no base64.
  static Keyring From(json::View secret);
  // Sets the data of `secret`; what is not ours stays as it is.
  void WriteTo(json::Value& secret) const;

  net::TlsMaterial Served() const { return {"", serving_certificate, serving_key}; }
  friend bool operator==(const Keyring&, const Keyring&) = default;
};

// All authorities as one text for a caBundle, each once, in an order that does not depend on their
// roles: handing over from one to the next changes nothing in it. What does not parse is left out.
std::string MakeBundle(const std::vector<std::string>& authorities);
// Those of a keyring. What is put into every caBundle follows from the Secret alone: replicas that
// serve different certificates still write the same.
std::string BundleOf(const Keyring& keyring);
// Whether every certificate of `authorities` is one of the keyring's.
bool Believes(const Keyring& keyring, const std::string& authorities);

}  // namespace hearth::admission::certificates
