#pragma once

#include <functional>
#include <stop_token>

#include "base/status.h"
#include "net/tls.h"

namespace hearth::admission::certificates {

// Where a server's certificate comes from.
class CertificateSource {
 public:
  // Called with the first material as soon as there is one and with each that follows, on the
  // source's thread. A failure is told and tried again.
  using Serve = std::function<Status(const net::TlsMaterial& material)>;

  virtual ~CertificateSource() = default;
  // Blocks until told to stop, which is fine. Once only.
  virtual Status Run(const std::stop_token& stop, const Serve& serve) = 0;
  // For /readyz: ok when what is served is valid, and believed by all who took their bundle.
  // Thread-safe.
  virtual Status Ready() const = 0;
};

}  // namespace hearth::admission::certificates
