#include "kube/client/internal/retry.h"

#include <gtest/gtest.h>

#include "kube/model/api_status.h"

namespace hearth::kube::internal {
namespace {

RetryAdvice AfterAnswer(std::string_view method, int status, http::Headers headers = {}) {
  const Result<http::Response> answer = http::Response{status, std::move(headers), ""};
  return AdviseRetry(method, answer, StatusFromResponse(*answer), WallTime());
}

RetryAdvice AfterFailure(std::string_view method, const Status& failure) {
  return AdviseRetry(method, failure, failure, WallTime());
}

TEST(Retry, ReadsGoAgainWheneverTheServerIsInTrouble) {
  for (const int status : {429, 500, 502, 503, 504}) {
    EXPECT_TRUE(AfterAnswer("GET", status).again) << status;
  }
  for (const int status : {301, 400, 401, 403, 404, 409, 410, 422, 501}) {
    EXPECT_FALSE(AfterAnswer("GET", status).again) << status;
  }
  EXPECT_TRUE(AfterFailure("GET", UnavailableError("broken")).again);
  EXPECT_TRUE(AfterFailure("GET", DataLossError("cut")).again);
  EXPECT_FALSE(AfterFailure("GET", DeadlineError("slow")).again);
  EXPECT_FALSE(AfterFailure("GET", CancelledError("stop")).again);
}

TEST(Retry, WritesGoAgainOnlyWhereTheServerHasNotActed) {
  for (const char* method : {"POST", "PUT", "PATCH", "DELETE"}) {
    EXPECT_TRUE(AfterAnswer(method, 429).again) << method;
    EXPECT_TRUE(AfterAnswer(method, 503, {{"Retry-After", "1"}}).again) << method;
    EXPECT_FALSE(AfterAnswer(method, 503).again) << method;
    EXPECT_FALSE(AfterAnswer(method, 500, {{"Retry-After", "1"}}).again) << method;
    EXPECT_FALSE(AfterAnswer(method, 504).again) << method;
    EXPECT_FALSE(AfterFailure(method, UnavailableError("broken half-way")).again) << method;
    EXPECT_TRUE(AfterFailure(method, UnavailableError("refused").WithReason("ConnectFailed")).again)
        << method;
  }
}

TEST(Retry, ADisruptionBudgetIsAnAnswer) {
  const Result<http::Response> answer = http::Response{429, {}, ""};
  const Status failure =
      ExhaustedError("cannot evict").WithCause({"DisruptionBudget", "needs 2 healthy pods", ""});
  EXPECT_FALSE(AdviseRetry("POST", answer, failure, WallTime()).again);
}

TEST(Retry, WaitsAsLongAsTheServerAsks) {
  EXPECT_EQ(AfterAnswer("GET", 429).wait, std::nullopt);
  EXPECT_EQ(AfterAnswer("GET", 429, {{"Retry-After", "3"}}).wait, std::chrono::seconds(3));
  EXPECT_EQ(AfterAnswer("GET", 429, {{"Retry-After", "Thu, 01 Jan 1970 00:00:09 GMT"}}).wait,
            std::chrono::seconds(9));
  const Result<http::Response> answer = http::Response{504, {}, ""};
  const Status failure = DeadlineError("later").WithRetryAfter(std::chrono::seconds(2));
  EXPECT_EQ(AdviseRetry("GET", answer, failure, WallTime()).wait, std::chrono::seconds(2));
}

}  // namespace
}  // namespace hearth::kube::internal
