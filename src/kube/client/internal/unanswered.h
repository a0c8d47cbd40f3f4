#pragma once

#include "base/status.h"
#include "http/message.h"

// What becomes of requests whose handler, or whose caller, did not see them to their end.
namespace hearth::kube::internal {

// The handler let go of a begun answer.
inline Status Unanswered() { return DataLossError("the answer ended before it was complete"); }
// To a handler that goes on writing.
inline Status CallerGone() { return UnavailableError("nobody waits for the answer any more"); }
// The handler let go without beginning an answer, or threw.
inline http::Response InternalErrorResponse() {
  return {500, {{"Content-Type", "text/plain"}}, "the handler gave no answer"};
}

}  // namespace hearth::kube::internal
