#pragma once

#include <string>

#include "admission/certificates/internal/served.h"
#include "admission/certificates/source.h"
#include "base/clock.h"
#include "base/file_system.h"
#include "base/log.h"

namespace hearth::admission::certificates {

// Certificates that somebody else makes (cert-manager, an administrator) and mounts: tls.crt and
// tls.key in a directory. Waited for, and taken again when they change; a pair that does not fit
// together (half-way through a change) or does not parse leaves the old one in use. Whoever makes
// them puts the caBundles in as well.
class FileCertificates : public CertificateSource {
 public:
  FileCertificates(std::string directory, FileSystem& files, Clock& clock, Logger logger);

  Status Run(const std::stop_token& stop, const Serve& serve) override;
  Status Ready() const override { return served_.Ready(); }

 private:
  Status Look(const Serve& serve);

  const std::string directory_;
  FileSystem& files_;
  Clock& clock_;
  const Logger logger_;
  internal::Served served_;
  std::string told_;  // the failure that was logged last
};

}  // namespace hearth::admission::certificates
