#include "admission/certificates/file_certificates.h"

#include <utility>

#include "net/certificate_facts.h"

namespace hearth::admission::certificates {
namespace {

// A poll: the directory may not exist yet, mounted Secrets change by a link far from the files
// being renamed, and not every file system tells. The kubelet itself takes up to a minute.
constexpr Duration kLookAgain = std::chrono::seconds(5);
constexpr uint64_t kMaxPemBytes = 4 << 20;

}  // namespace

FileCertificates::FileCertificates(std::string directory, FileSystem& files, Clock& clock,
                                   Logger logger)
    : directory_(std::move(directory)),
      files_(files),
      clock_(clock),
      logger_(std::move(logger)),
      served_(clock) {}

Status FileCertificates::Look(const Serve& serve) {
  net::TlsMaterial material;
  ASSIGN_OR_RETURN(material.certificate_pem, files_.Read(directory_ + "/tls.crt", kMaxPemBytes));
  ASSIGN_OR_RETURN(material.private_key_pem, files_.Read(directory_ + "/tls.key", kMaxPemBytes));
  if (served_.Is(material)) {
    return Status::Ok();
  }
  RETURN_IF_ERROR(net::CheckKeyFits({material.certificate_pem, material.private_key_pem}));
  RETURN_IF_ERROR(serve(material));
  served_.Set(material);
  served_.SetTrouble("");
  logger_.Info("serving a certificate", {{"directory", directory_}});
  return Status::Ok();
}

Status FileCertificates::Run(const std::stop_token& stop, const Serve& serve) {
  while (!stop.stop_requested()) {
    const Status looked = Look(serve).WithContext("certificates in " + directory_);
    const std::string failure = looked.ok() ? "" : looked.ToString();
    if (!failure.empty() && failure != told_) {
      logger_.Warning("waiting for the webhook server's certificate", {{"error", failure}});
    }
    if (!looked.ok() && !served_.any()) {
      served_.SetTrouble(failure);
    }
    told_ = failure;
    SleepFor(clock_, kLookAgain, stop);
  }
  return Status::Ok();
}

}  // namespace hearth::admission::certificates
