#include "kube/model/api_status.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "json/parse.h"
#include "kube/model/internal/reason_table.h"
#include "kube/model/retry_after.h"

namespace hearth::kube {
namespace {

constexpr size_t kExcerptBytes = 200;

bool IsStatusObject(json::View object) {
  return object["kind"].Equals("Status") && object["apiVersion"].Equals("v1");
}

Status WithDetails(Status status, json::View details) {
  for (const json::View cause : details["causes"].items()) {
    status = status.WithCause(
        {cause["reason"].StringOr(""), cause["message"].StringOr(""), cause["field"].StringOr("")});
  }
  const int64_t seconds = details["retryAfterSeconds"].Int().value_or(0);
  if (seconds > 0) {
    status = status.WithRetryAfter(
        std::min<std::chrono::seconds>(std::chrono::seconds(seconds), std::chrono::hours(24)));
  }
  return status;
}

// A Status object that tells of a failure. Its own HTTP code is missing in some answers.
Status FailureFrom(json::View object, int http_code) {
  const auto code = object["code"].Int();
  if (code.has_value() && *code >= 100 && *code <= 599) {
    http_code = static_cast<int>(*code);
  }
  std::string reason = object["reason"].StringOr(internal::ReasonForHttp(http_code));
  std::string message = object["message"].StringOr("");
  if (message.empty()) {
    message = fmt::format("the server answered {} {} without a message", http_code, reason);
  }
  const Code kind = internal::CodeForReason(reason, http_code);
  return WithDetails(Status(kind, std::move(reason), std::move(message)), object["details"])
      .WithHttpCode(http_code);
}

// From something that is no API server, or one that gave up: a proxy, "404 page not found". It has
// no reason: those are the API server's, and callers act on them for good.
Status FailureFromText(const http::Response& response) {
  std::string message =
      fmt::format("the server answered {} {}", response.status, http::StatusText(response.status));
  if (response.headers.Has("Location")) {
    message += fmt::format(" to {}; redirects are not followed, give that address as the server",
                           Excerpt(response.headers.Get("Location"), kExcerptBytes));
  }
  const std::string_view text = Trim(response.body);
  if (!text.empty()) {
    message += ": " + Excerpt(text, kExcerptBytes);
  }
  return Status(internal::CodeForHttp(response.status), std::move(message))
      .WithHttpCode(response.status);
}

json::Value CausesOf(const Status& status) {
  json::Value causes = json::Value::Array();
  for (const Cause& cause : status.causes()) {
    json::Value item = json::Value::Object();
    for (const auto& [name, text] :
         {std::pair<const char*, const std::string&>{"reason", cause.reason},
          {"message", cause.message},
          {"field", cause.field}}) {
      if (!text.empty()) {
        item.Set(name, text);
      }
    }
    causes.Append(std::move(item));
  }
  return causes;
}

json::Value DetailsOf(const Status& status) {
  json::Value details = json::Value::Object();
  if (!status.causes().empty()) {
    details.Set("causes", CausesOf(status));
  }
  if (const auto wait = status.retry_after()) {
    details.Set("retryAfterSeconds", std::chrono::ceil<std::chrono::seconds>(*wait).count());
  }
  return details;
}

std::string_view ReasonOf(const Status& status) {
  if (!status.reason().empty()) {
    return status.reason();
  }
  if (status.Is(Code::kAlreadyExists)) {
    return reason::kAlreadyExists;
  }
  return internal::ReasonForHttp(HttpCodeFor(status));
}

}  // namespace

Status StatusFromResponse(const http::Response& response) {
  if (response.status >= 200 && response.status < 300) {
    return Status::Ok();
  }
  const Result<json::Blob> body = json::Parse(response.body);
  Status status = body.ok() && IsStatusObject(body->view())
                      ? FailureFrom(body->view(), response.status)
                      : FailureFromText(response);
  const auto wait = RetryAfter(response.headers);
  return wait.has_value() ? status.WithRetryAfter(*wait) : status;
}

Status StatusFromObject(json::View status) {
  if (!IsStatusObject(status)) {
    return InternalError("expected a Status object from the server, got: " +
                         Excerpt(status.raw(), kExcerptBytes));
  }
  return status["status"].Equals("Success") ? Status::Ok() : FailureFrom(status, 0);
}

json::Value StatusToObject(const Status& status) {
  json::Value object = json::Value::Object({{"kind", "Status"},
                                            {"apiVersion", "v1"},
                                            {"metadata", json::Value::Object()},
                                            {"status", status.ok() ? "Success" : "Failure"}});
  if (!status.ok()) {
    object.Set("message", status.message());
    object.Set("reason", ReasonOf(status));
    json::Value details = DetailsOf(status);
    if (!details.members().empty()) {
      object.Set("details", std::move(details));
    }
  }
  object.Set("code", HttpCodeFor(status));
  return object;
}

int HttpCodeFor(const Status& status) {
  if (status.http_code() != 0) {
    return status.http_code();
  }
  const int by_reason = internal::HttpForReason(status.reason());
  return by_reason != 0 ? by_reason : internal::HttpForCode(status.code());
}

bool HasCause(const Status& status, std::string_view reason) {
  const auto& causes = status.causes();
  return std::any_of(causes.begin(), causes.end(),
                     [&](const Cause& cause) { return cause.reason == reason; });
}

}  // namespace hearth::kube
