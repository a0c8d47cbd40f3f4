#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "gms/protocol/messages.h"

// The numbers in error_response.code. The text is for people, and for clients that match on it
// because they know no numbers. Numbers are never reused.
namespace hearth::gms {

enum class ErrorCode : int64_t {
  kNone = 0,               // a server without numbers
  kMalformed = 1,          // not MessagePack, a field missing or of another kind; connection closed
  kExpectedHandshake = 2,  // the first message is none that may come first; connection closed
  kUnknownMessage = 3,     // no such message, or none for this socket or this moment
  kNotAllowed = 4,         // the session's grant forbids it
  kInvalidArgument = 5,
  kUnknownAllocation = 6,
  kAlreadyExists = 7,   // an allocation of that id
  kOutOfMemory = 8,     // waited for memory in vain
  kLimitReached = 9,    // more names, bytes or connections than the server keeps
  kDeviceFailed = 10,   // the driver's words are in the text
  kFenced = 11,         // a checkpoint is being taken: nobody is admitted
  kFenceConflict = 12,  // the fence cannot go up, or is not the one of the token
  kOtherServer = 13,    // expected_nonce or expected_gpu_uuid is another server's
  kStaleLayout = 14,    // expected_hash or expected_generation is not what is there
  kPeerRefused = 15,    // the policy admits no such user; connection closed
  kUnsupported = 16,    // a lock type or extension that this server has not
  kTimedOut = 17,       // no request in time; connection closed
  kInternal = 18,
};

// By the status' reason when it has one of ours (the enumerator's name without its k), else by its
// code.
ErrorCode ErrorCodeOf(const Status& status);
// A status with that code's reason, for a server to answer and a client to branch on.
Status MakeError(ErrorCode code, std::string message);
// What a client makes of an answer.
Status StatusOf(const ErrorResponse& response);
ErrorResponse ToErrorResponse(const Status& status);
std::string_view ReasonOf(ErrorCode code);

}  // namespace hearth::gms
