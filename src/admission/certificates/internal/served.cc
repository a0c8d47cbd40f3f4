#include "admission/certificates/internal/served.h"

#include <utility>

namespace hearth::admission::certificates::internal {

bool Served::Is(const net::TlsMaterial& material) const {
  return state_.Lock()->material == material;
}

bool Served::any() const { return !state_.Lock()->material.certificate_pem.empty(); }

void Served::Set(const net::TlsMaterial& material) {
  const auto expiry = net::CertificateExpiry(material.certificate_pem);
  auto state = state_.Lock();
  state->material = material;
  state->not_after = expiry.ok() ? *expiry : WallTime();
}

void Served::SetTrouble(std::string trouble) { state_.Lock()->trouble = std::move(trouble); }

Status Served::Ready() const {
  auto state = state_.Lock();
  if (!state->trouble.empty()) {
    return UnavailableError(state->trouble);
  }
  return clock_.WallNow() < state->not_after
             ? Status::Ok()
             : UnavailableError("the webhook server's certificate has expired");
}

}  // namespace hearth::admission::certificates::internal
