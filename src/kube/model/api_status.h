#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "http/message.h"
#include "json/value.h"
#include "json/view.h"

namespace hearth::kube {

// Reasons the API server uses that callers branch on.
namespace reason {
inline constexpr std::string_view kNotFound = "NotFound";
inline constexpr std::string_view kAlreadyExists = "AlreadyExists";
inline constexpr std::string_view kConflict = "Conflict";
inline constexpr std::string_view kInvalid = "Invalid";
inline constexpr std::string_view kGone = "Gone";
inline constexpr std::string_view kExpired = "Expired";
inline constexpr std::string_view kTimeout = "Timeout";
inline constexpr std::string_view kTooManyRequests = "TooManyRequests";
inline constexpr std::string_view kForbidden = "Forbidden";
inline constexpr std::string_view kUnauthorized = "Unauthorized";
inline constexpr std::string_view kResourceVersionTooLarge = "ResourceVersionTooLarge";  // a cause
inline constexpr std::string_view kFieldManagerConflict = "FieldManagerConflict";        // a cause
inline constexpr std::string_view kNamespaceTerminating = "NamespaceTerminating";        // a cause
}  // namespace reason

// An answer's failure by its reason, ok for 2xx. A body that is no Status object gives the code of
// the HTTP status, no reason, and an excerpt of the text. Retry-After and details.retryAfterSeconds
// become retry_after().
Status StatusFromResponse(const http::Response& response);
// From a Status object, e.g. the object of a watch's ERROR event.
Status StatusFromObject(json::View status);
// The Status object for a failure, as a server answers it; and the HTTP code that goes with it.
json::Value StatusToObject(const Status& status);
int HttpCodeFor(const Status& status);

bool HasCause(const Status& status, std::string_view reason);

}  // namespace hearth::kube
