#include "kube/model/internal/reason_table.h"

namespace hearth::kube::internal {
namespace {

struct Row {
  std::string_view reason;
  Code code;
  int http;
};

// Of the rows with one HTTP code, the first is what an answer without a reason means.
constexpr Row kRows[] = {
    {"BadRequest", Code::kInvalid, 400},
    {"Unauthorized", Code::kUnauthenticated, 401},
    {"Forbidden", Code::kPermissionDenied, 403},
    {"NotFound", Code::kNotFound, 404},
    {"MethodNotAllowed", Code::kUnsupported, 405},
    {"NotAcceptable", Code::kUnsupported, 406},
    {"Conflict", Code::kConflict, 409},
    {"AlreadyExists", Code::kAlreadyExists, 409},
    {"Gone", Code::kGone, 410},
    {"Expired", Code::kGone, 410},
    {"RequestEntityTooLarge", Code::kExhausted, 413},
    {"UnsupportedMediaType", Code::kUnsupported, 415},
    {"Invalid", Code::kInvalid, 422},
    {"TooManyRequests", Code::kExhausted, 429},
    {"StoreReadError", Code::kInternal, 500},
    {"InternalError", Code::kInternal, 500},
    // The server asks for another try; nothing was done.
    {"ServerTimeout", Code::kUnavailable, 500},
    {"ServiceUnavailable", Code::kUnavailable, 503},
    // The server gave up waiting; the work may have been done.
    {"Timeout", Code::kDeadlineExceeded, 504},
};

struct Pair {
  Code code;
  int http;
};

constexpr Pair kHttpForCode[] = {
    {Code::kOk, 200},
    {Code::kInvalid, 400},
    {Code::kNotFound, 404},
    {Code::kAlreadyExists, 409},
    {Code::kConflict, 409},
    {Code::kGone, 410},
    {Code::kUnauthenticated, 401},
    {Code::kPermissionDenied, 403},
    {Code::kExhausted, 429},
    {Code::kUnavailable, 503},
    {Code::kDeadlineExceeded, 504},
    {Code::kCancelled, 503},
    {Code::kUnsupported, 405},
    {Code::kDataLoss, 500},
    {Code::kInternal, 500},
};

}  // namespace

Code CodeForReason(std::string_view reason, int http_code) {
  for (const Row& row : kRows) {
    if (row.reason == reason) {
      return row.code;
    }
  }
  return CodeForHttp(http_code);
}

Code CodeForHttp(int http_code) {
  for (const Row& row : kRows) {
    if (row.http == http_code) {
      return row.code;
    }
  }
  switch (http_code) {
    case 408:
      return Code::kDeadlineExceeded;
    case 412:
      return Code::kConflict;
    case 501:
    case 505:
      return Code::kUnsupported;
    case 502:
      return Code::kUnavailable;
    default:
      return http_code >= 400 && http_code < 500 ? Code::kInvalid : Code::kInternal;
  }
}

std::string_view ReasonForHttp(int http_code) {
  if (http_code == 500) {
    return "InternalError";
  }
  for (const Row& row : kRows) {
    if (row.http == http_code) {
      return row.reason;
    }
  }
  return "";
}

int HttpForReason(std::string_view reason) {
  for (const Row& row : kRows) {
    if (row.reason == reason) {
      return row.http;
    }
  }
  return 0;
}

int HttpForCode(Code code) {
  for (const Pair& pair : kHttpForCode) {
    if (pair.code == code) {
      return pair.http;
    }
  }
  return 500;
}

}  // namespace hearth::kube::internal
