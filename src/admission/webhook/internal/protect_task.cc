#include <utility>

#include "admission/webhook/internal/tasks.h"

namespace hearth::admission::webhook::internal {

Answer Protect(const AdmissionRequest& request, const Services& services) {
  if (services.leaves_alone && services.leaves_alone(request.name_space)) {
    return Allow(request);
  }
  auto decision = protection::Decide({.operation = request.operation,
                                      .kind = request.kind.kind,
                                      .name = request.name,
                                      .name_space = request.name_space,
                                      .user = request.user,
                                      .object = request.object,
                                      .old_object = request.old_object},
                                     services.guard);
  if (!decision.ok()) {
    Answer failed = Deny(request, decision.status().WithHttpCode(500));
    failed.verdict = Verdict::kFailed;
    return failed;
  }
  if (!decision->allowed) {
    return Deny(
        request,
        Status(Code::kPermissionDenied, "Forbidden", std::move(decision->text)).WithHttpCode(403));
  }
  AdmissionAnswer answer;
  if (!decision->text.empty()) {
    answer.warnings.push_back(std::move(decision->text));
  }
  return Allow(request, std::move(answer));
}

}  // namespace hearth::admission::webhook::internal
