#include "kube/client/internal/certificate_keeper.h"

#include <utility>

namespace hearth::kube::internal {
namespace {

constexpr Duration kLookAgain = std::chrono::minutes(1);
constexpr uint64_t kMaxPemBytes = 4 << 20;

}  // namespace

CertificateKeeper::CertificateKeeper(const Config& config, FileSystem& files, Clock& clock,
                                     std::shared_ptr<net::TlsContext> tls, http::Client& client)
    : ca_file_(config.ca_file),
      certificate_file_(config.certificate_file),
      private_key_file_(config.private_key_file),
      has_files_(tls != nullptr &&
                 !(ca_file_.empty() && certificate_file_.empty() && private_key_file_.empty())),
      files_(files),
      clock_(clock),
      tls_(std::move(tls)),
      client_(client),
      configured_(MaterialOf(config)),
      used_(configured_),
      looked_at_(clock.Now()) {}

net::TlsMaterial CertificateKeeper::MaterialOf(const Config& config) {
  return {config.ca_pem, config.certificate_pem, config.private_key_pem};
}

uint64_t CertificateKeeper::Refresh(const Credentials::Current& current, bool look_now) {
  if (tls_ == nullptr) {
    return 0;
  }
  std::lock_guard lock(mutex_);
  const bool look = has_files_ && (look_now || clock_.Now() - looked_at_ >= kLookAgain);
  if (look) {
    ReadFiles();
  }
  if (look || current.certificate_pem != given_certificate_) {
    given_certificate_ = current.certificate_pem;
    Use(Merged(current));
  }
  return generation_;
}

net::TlsMaterial CertificateKeeper::Merged(const Credentials::Current& current) const {
  net::TlsMaterial material = configured_;
  if (!current.certificate_pem.empty()) {
    material.certificate_pem = current.certificate_pem;
    material.private_key_pem = current.private_key_pem;
  }
  return material;
}

void CertificateKeeper::Use(net::TlsMaterial material) {
  if (material == used_ || !tls_->Replace(material).ok()) {
    return;
  }
  used_ = std::move(material);
  client_.DropIdleConnections();
  ++generation_;
}

void CertificateKeeper::ReadFiles() {
  looked_at_ = clock_.Now();
  ReadFile(ca_file_, configured_.ca_pem);
  ReadFile(certificate_file_, configured_.certificate_pem);
  ReadFile(private_key_file_, configured_.private_key_pem);
}

void CertificateKeeper::ReadFile(const std::string& path, std::string& into) {
  if (path.empty()) {
    return;
  }
  auto text = files_.Read(path, kMaxPemBytes);
  if (text.ok() && !text->empty()) {
    into = *std::move(text);
  }
}

}  // namespace hearth::kube::internal
