#include "kube/client/internal/retry.h"

#include "kube/model/api_status.h"
#include "kube/model/retry_after.h"

namespace hearth::kube::internal {
namespace {

// An eviction that a disruption budget forbids is an answer, not an overloaded server.
bool IsBudget(const Status& failure) { return HasCause(failure, "DisruptionBudget"); }

bool MayGoAgain(bool read, const http::Response& answer, const Status& failure) {
  const int status = answer.status;
  if (status == 429) {
    return !IsBudget(failure);
  }
  if (read) {
    return status >= 500 && status != 501 && status != 505;
  }
  return status == 503 && answer.headers.Has("Retry-After");
}

bool MayGoAgain(bool read, const Status& failure) {
  if (read) {
    return failure.Is(Code::kUnavailable) || failure.Is(Code::kDataLoss);
  }
  return failure.Is(Code::kUnavailable) && failure.reason() == "ConnectFailed";
}

}  // namespace

RetryAdvice AdviseRetry(std::string_view method, const Result<http::Response>& answer,
                        const Status& failure, WallTime now) {
  const bool read = method == "GET" || method == "HEAD";
  if (!answer.ok()) {
    return {MayGoAgain(read, failure), std::nullopt};
  }
  RetryAdvice advice{MayGoAgain(read, *answer, failure), RetryAfter(answer->headers, now)};
  if (!advice.wait.has_value()) {
    advice.wait = failure.retry_after();
  }
  return advice;
}

}  // namespace hearth::kube::internal
