#include "admission/certificates/keyring.h"

#include <set>
#include <utility>

#include "base/base64.h"
#include "net/certificate_facts.h"

namespace hearth::admission::certificates {
namespace {

constexpr std::pair<const char*, std::string Keyring::*> kEntries[] = {
    {"tls.crt", &Keyring::serving_certificate},
    {"tls.key", &Keyring::serving_key},
    {"ca.crt", &Keyring::authority},
    {"ca.key", &Keyring::authority_key},
    {"next-ca.crt", &Keyring::next_authority},
    {"next-ca.key", &Keyring::next_authority_key},
    {"previous-ca.crt", &Keyring::previous_authority},
    {"previous-ca.until", &Keyring::previous_until},
};

}  // namespace

Keyring Keyring::From(json::View secret) {
  Keyring keyring;
  for (const auto& [name, member] : kEntries) {
    keyring.*member = DecodeBase64(secret["data"][name].StringOr("")).value_or("");
  }
  return keyring;
}

void Keyring::WriteTo(json::Value& secret) const {
  json::Value& data = secret["data"];
  for (const auto& [name, member] : kEntries) {
    if ((this->*member).empty()) {
      if (data.IsObject()) {
        data.Erase(name);
      }
    } else {
      data[name] = EncodeBase64(this->*member);
    }
  }
}

std::string MakeBundle(const std::vector<std::string>& authorities) {
  std::set<std::string> once;
  for (const std::string& authority : authorities) {
    if (auto certificates = net::SplitCertificates(authority); certificates.ok()) {
      once.insert(certificates->begin(), certificates->end());
    }
  }
  std::string bundle;
  for (const std::string& certificate : once) {
    bundle += certificate;
  }
  return bundle;
}

std::string BundleOf(const Keyring& keyring) {
  return MakeBundle({keyring.authority, keyring.next_authority, keyring.previous_authority});
}

bool Believes(const Keyring& keyring, const std::string& authorities) {
  const std::string bundle = BundleOf(keyring);
  return MakeBundle({bundle, authorities}) == bundle;
}

}  // namespace hearth::admission::certificates
