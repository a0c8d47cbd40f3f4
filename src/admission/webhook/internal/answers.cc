#include <utility>

#include "admission/webhook/internal/tasks.h"

namespace hearth::admission::webhook::internal {
namespace {

http::Response Ok(std::string body) {
  http::Response response{.status = 200, .body = std::move(body)};
  response.headers.Set("Content-Type", "application/json");
  return response;
}

}  // namespace

Answer Allow(const AdmissionRequest& request, AdmissionAnswer answer) {
  const bool patched = answer.patch.IsArray() && !answer.patch.items().empty();
  return {.response = Ok(WriteAdmissionReview(request.uid, answer)),
          .verdict = patched ? Verdict::kPatched : Verdict::kAllowed};
}

Answer Deny(const AdmissionRequest& request, const Status& status, AdmissionAnswer answer) {
  answer.denied = DenialOf(status, request.asked_kind, request.name);
  return {.response = Ok(WriteAdmissionReview(request.uid, answer)),
          .verdict = Verdict::kDenied,
          .cause = std::string(status.message())};
}

}  // namespace hearth::admission::webhook::internal
