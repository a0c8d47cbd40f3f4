#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace hearth::net {

// What a side shows and what it believes, as PEM text.
struct TlsMaterial {
  std::string ca_pem;           // client: whom to trust (the system's when empty); server: client
                                // certificates are asked for when set
  std::string certificate_pem;  // with its chain
  std::string private_key_pem;
  friend bool operator==(const TlsMaterial&, const TlsMaterial&) = default;
};

// TLS 1.2 and up with reloadable certificates: connections made after Replace use the new material,
// those that exist go on. Thread-safe; shared between the owner who reloads and the client or
// server that uses it.
class TlsContext {
 public:
  struct Options {
    bool server = false;
    // Client only. Names are verified against the certificate (this one, or the host connected to);
    // off only where the user says so.
    bool verify_peer = true;
    std::string server_name;
    bool require_client_certificate = false;  // server with ca_pem
  };
  // kInvalid says which part does not parse or does not fit (key against certificate).
  static Result<std::shared_ptr<TlsContext>> Create(const TlsMaterial& material, Options options);
  virtual ~TlsContext() = default;

  // On failure the old material stays.
  virtual Status Replace(const TlsMaterial& material) = 0;
  virtual const Options& options() const = 0;
};

// Certificates for tests, webhooks and the embedded server: EC P-256, signed by `ca` or by
// themselves.
struct CertificateRequest {
  std::string common_name;
  std::vector<std::string> organizations;
  std::vector<std::string> dns_names;
  std::vector<std::string> ip_addresses;
  Duration lifetime = std::chrono::hours(24 * 365);
  bool is_ca = false;
};
struct CertificatePair {
  std::string certificate_pem;
  std::string private_key_pem;
};
Result<CertificatePair> MakeCertificate(const CertificateRequest& request, Clock& clock,
                                        const CertificatePair* ca = nullptr);
// The end of validity of the first certificate in the text.
Result<WallTime> CertificateExpiry(std::string_view pem);

}  // namespace hearth::net
