#include "admission/webhook/routes.h"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "admission/webhook/internal/tasks.h"
#include "admission/webhook/review.h"
#include "base/strings.h"
#include "kube/model/api_status.h"

namespace hearth::admission::webhook {
namespace {

constexpr size_t kExcerptBytes = 200;

Answer BadReview(const Status& status) {
  return HttpFailure(status.Is(Code::kExhausted) ? 413 : 400,
                     status.WithContext("reading the review").WithReason("BadRequest"));
}

bool IsJson(const http::Request& request) {
  const std::string_view type = request.headers.Get("Content-Type");
  return EqualIgnoreCase(Trim(type.substr(0, type.find(';'))), "application/json");
}

KindName KindOf(const Endpoint& endpoint) {
  return {std::string(endpoint.group), std::string(endpoint.version), std::string(endpoint.kind)};
}

Answer Dispatch(const Endpoint& endpoint, const AdmissionRequest& request,
                const Services& services) {
  if (endpoint.task == Task::kProtect) {
    return internal::Protect(request, services);
  }
  if (const KindName expected = KindOf(endpoint); request.kind != expected) {
    const Status status(Code::kInvalid, "BadRequest",
                        fmt::format("admission requires {}, got {}; check webhook and CRD "
                                    "conversion configuration",
                                    expected.ToString(), request.kind.ToString()));
    return internal::Deny(request, status.WithHttpCode(400));
  }
  switch (endpoint.task) {
    case Task::kDefault:
      return internal::Default(endpoint, request, services);
    case Task::kValidate:
      return internal::Validate(endpoint, request, services);
    default:
      return internal::RestorePod(request, services);
  }
}

// Whatever is thrown in there is a bug of ours. It costs this one request; a pod must not suffer
// for it at all.
Answer DispatchSafely(const Endpoint& endpoint, const AdmissionRequest& request,
                      const Services& services) {
  std::string what = "unknown exception";
  try {
    return Dispatch(endpoint, request, services);
  } catch (const std::exception& error) {
    what = error.what();
  } catch (...) {  // NOLINT(bugprone-empty-catch): told below
  }
  const Status status = InternalError("the webhook failed: " + what);
  Answer answer = endpoint.task == Task::kRestorePod ? internal::Allow(request)
                                                     : internal::Deny(request, status);
  answer.verdict = Verdict::kFailed;
  answer.cause = status.message();
  return answer;
}

Answer AnswerConversion(const http::Request& request, const Services& services) {
  auto review = ReadConversionReview(request.body);
  if (!review.ok()) {
    return BadReview(review.status());
  }
  try {
    return internal::Convert(*std::move(review), services);
  } catch (const std::exception& error) {
    return HttpFailure(500, InternalError(fmt::format("the conversion failed: {}", error.what())));
  }
}

Answer AnswerAdmission(const Endpoint& endpoint, const http::Request& request,
                       const Services& services) {
  const auto review = ReadAdmissionReview(request.body);
  return review.ok() ? DispatchSafely(endpoint, *review, services) : BadReview(review.status());
}

}  // namespace

std::string_view VerdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kAllowed:
      return "allowed";
    case Verdict::kPatched:
      return "patched";
    case Verdict::kDenied:
      return "denied";
    case Verdict::kConverted:
      return "converted";
    case Verdict::kFailed:
      return "failed";
  }
  return "";
}

Answer HttpFailure(int code, const Status& status) {
  Answer answer{.cause = std::string(status.message())};
  answer.response = {.status = code,
                     .body = kube::StatusToObject(status.WithHttpCode(code)).Write()};
  answer.response.headers.Set("Content-Type", "application/json");
  return answer;
}

Answer Respond(const http::Request& request, const Services& services) {
  const Endpoint* endpoint = FindEndpoint(request.target);
  if (endpoint == nullptr) {
    return HttpFailure(404, NotFoundError(fmt::format("there is no webhook at {}",
                                                      Excerpt(request.target, kExcerptBytes))));
  }
  if (request.method != "POST") {
    return HttpFailure(405, UnsupportedError("reviews are sent with POST, not " +
                                             Excerpt(request.method, kExcerptBytes)));
  }
  if (!IsJson(request)) {
    return HttpFailure(
        415, UnsupportedError("reviews are application/json, not \"" +
                              Excerpt(request.headers.Get("Content-Type"), kExcerptBytes) + "\""));
  }
  return endpoint->task == Task::kConvert ? AnswerConversion(request, services)
                                          : AnswerAdmission(*endpoint, request, services);
}

}  // namespace hearth::admission::webhook
