#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "base/clock.h"
#include "base/file_system.h"
#include "http/client.h"
#include "kube/config/config.h"
#include "net/tls.h"

namespace hearth::kube::internal {

// Keeps a client's TLS material what its files and credentials say. Thread-safe; blocks while it
// reads files.
class CertificateKeeper {
 public:
  // `tls` null: plain text, nothing to keep.
  CertificateKeeper(const Config& config, FileSystem& files, Clock& clock,
                    std::shared_ptr<net::TlsContext> tls, http::Client& client);

  static net::TlsMaterial MaterialOf(const Config& config);

  bool has_files() const { return has_files_; }
  // Brings the material up to date: files are looked at once a minute, or now when `look_now`; a
  // certificate from the credentials goes before the configured one. Returns a number that changes
  // whenever the material did. What cannot be read or does not fit together (half-way through a
  // rotation) leaves the old material in use.
  uint64_t Refresh(const Credentials::Current& current, bool look_now);

 private:
  net::TlsMaterial Merged(const Credentials::Current& current) const;
  void Use(net::TlsMaterial material);
  void ReadFiles();
  void ReadFile(const std::string& path, std::string& into);

  const std::string ca_file_;
  const std::string certificate_file_;
  const std::string private_key_file_;
  const bool has_files_;
  FileSystem& files_;
  Clock& clock_;
  const std::shared_ptr<net::TlsContext> tls_;
  http::Client& client_;

  std::mutex mutex_;
  net::TlsMaterial configured_;  // as the files say
  net::TlsMaterial used_;
  std::string given_certificate_;  // what the credentials gave last
  SteadyTime looked_at_;
  uint64_t generation_ = 0;
};

}  // namespace hearth::kube::internal
