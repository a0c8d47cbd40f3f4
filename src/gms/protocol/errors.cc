#include "gms/protocol/errors.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace hearth::gms {
namespace {

struct Row {
  ErrorCode error;
  Code code;
  std::string_view reason;
};

// The first row of a code is what a status without a reason becomes.
constexpr auto kRows = std::to_array<Row>({
    {ErrorCode::kMalformed, Code::kDataLoss, "Malformed"},
    {ErrorCode::kInvalidArgument, Code::kInvalid, "InvalidArgument"},
    {ErrorCode::kExpectedHandshake, Code::kInvalid, "ExpectedHandshake"},
    {ErrorCode::kUnknownMessage, Code::kUnsupported, "UnknownMessage"},
    {ErrorCode::kUnsupported, Code::kUnsupported, "Unsupported"},
    {ErrorCode::kNotAllowed, Code::kPermissionDenied, "NotAllowed"},
    {ErrorCode::kPeerRefused, Code::kPermissionDenied, "PeerRefused"},
    {ErrorCode::kPeerRefused, Code::kUnauthenticated, "PeerRefused"},
    {ErrorCode::kUnknownAllocation, Code::kNotFound, "UnknownAllocation"},
    {ErrorCode::kAlreadyExists, Code::kAlreadyExists, "AlreadyExists"},
    {ErrorCode::kLimitReached, Code::kExhausted, "LimitReached"},
    {ErrorCode::kOutOfMemory, Code::kExhausted, "OutOfMemory"},
    {ErrorCode::kDeviceFailed, Code::kUnavailable, "DeviceFailed"},
    {ErrorCode::kFenced, Code::kUnavailable, "Fenced"},
    {ErrorCode::kFenceConflict, Code::kConflict, "FenceConflict"},
    {ErrorCode::kOtherServer, Code::kGone, "OtherServer"},
    {ErrorCode::kStaleLayout, Code::kGone, "StaleLayout"},
    {ErrorCode::kTimedOut, Code::kDeadlineExceeded, "TimedOut"},
    {ErrorCode::kInternal, Code::kInternal, "Internal"},
});

template <typename Match>
const Row* FindRow(Match match) {
  const auto* row = std::find_if(kRows.begin(), kRows.end(), match);
  return row == kRows.end() ? nullptr : row;
}

}  // namespace

ErrorCode ErrorCodeOf(const Status& status) {
  if (status.ok()) {
    return ErrorCode::kNone;
  }
  const Row* row = FindRow([&](const Row& r) { return r.reason == status.reason(); });
  if (row == nullptr) {
    row = FindRow([&](const Row& r) { return r.code == status.code(); });
  }
  return row == nullptr ? ErrorCode::kInternal : row->error;
}

std::string_view ReasonOf(ErrorCode code) {
  const Row* row = FindRow([&](const Row& r) { return r.error == code; });
  return row == nullptr ? std::string_view() : row->reason;
}

Status MakeError(ErrorCode code, std::string message) {
  const Row* row = FindRow([&](const Row& r) { return r.error == code; });
  if (row == nullptr) {
    return InternalError(std::move(message));
  }
  return {row->code, std::string(row->reason), std::move(message)};
}

Status StatusOf(const ErrorResponse& response) {
  return MakeError(static_cast<ErrorCode>(response.code), response.error);
}

ErrorResponse ToErrorResponse(const Status& status) {
  return {.error = std::string(status.message()),
          .code = static_cast<int64_t>(ErrorCodeOf(status))};
}

}  // namespace hearth::gms
