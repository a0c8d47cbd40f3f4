#include "kube/model/api_status.h"

#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"
#include "json/parse.h"

namespace hearth::kube {
namespace {

http::Response Answer(int status, std::string body, http::Headers headers = {}) {
  return {status, std::move(headers), std::move(body)};
}

std::string StatusText(int code, const std::string& reason) {
  return R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"m","reason":")" +
         reason + R"(","code":)" + std::to_string(code) + "}";
}

TEST(ApiStatus, SuccessIsOk) {
  EXPECT_OK(StatusFromResponse(Answer(200, "{}")));
  EXPECT_OK(StatusFromResponse(Answer(201, "not even JSON")));
}

TEST(ApiStatus, ReasonDecidesTheCode) {
  struct Case {
    int http;
    const char* reason;
    Code code;
  };
  const Case cases[] = {
      {400, "BadRequest", Code::kInvalid},
      {401, "Unauthorized", Code::kUnauthenticated},
      {403, "Forbidden", Code::kPermissionDenied},
      {404, "NotFound", Code::kNotFound},
      {405, "MethodNotAllowed", Code::kUnsupported},
      {406, "NotAcceptable", Code::kUnsupported},
      {409, "Conflict", Code::kConflict},
      {409, "AlreadyExists", Code::kAlreadyExists},
      {410, "Gone", Code::kGone},
      {410, "Expired", Code::kGone},
      {413, "RequestEntityTooLarge", Code::kExhausted},
      {415, "UnsupportedMediaType", Code::kUnsupported},
      {422, "Invalid", Code::kInvalid},
      {429, "TooManyRequests", Code::kExhausted},
      {500, "InternalError", Code::kInternal},
      {500, "ServerTimeout", Code::kUnavailable},
      {503, "ServiceUnavailable", Code::kUnavailable},
      {504, "Timeout", Code::kDeadlineExceeded},
      {409, "SomethingNew", Code::kConflict},
      {418, "Teapot", Code::kInvalid},
  };
  for (const Case& c : cases) {
    const Status status = StatusFromResponse(Answer(c.http, StatusText(c.http, c.reason)));
    EXPECT_CODE(c.code, status);
    EXPECT_EQ(status.reason(), c.reason);
    EXPECT_EQ(status.message(), "m");
    EXPECT_EQ(status.http_code(), c.http);
  }
}

TEST(ApiStatus, KeepsCausesAndTheirFields) {
  const Status status = StatusFromResponse(Answer(422, R"({
    "kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"bad",
    "reason":"Invalid","code":422,"details":{"name":"w","causes":[
      {"reason":"FieldValueRequired","message":"Required value","field":"spec.image"},
      {"reason":"FieldValueInvalid"}]}})"));
  ASSERT_EQ(status.causes().size(), 2u);
  EXPECT_EQ(status.causes()[0], (Cause{"FieldValueRequired", "Required value", "spec.image"}));
  EXPECT_TRUE(HasCause(status, "FieldValueInvalid"));
  EXPECT_FALSE(HasCause(status, reason::kFieldManagerConflict));
}

TEST(ApiStatus, WaitComesFromHeaderOrElseDetails) {
  const std::string body =
      R"({"kind":"Status","apiVersion":"v1","reason":"Timeout","code":504,"details":{"retryAfterSeconds":3}})";
  EXPECT_EQ(StatusFromResponse(Answer(504, body)).retry_after(), std::chrono::seconds(3));
  EXPECT_EQ(StatusFromResponse(Answer(504, body, {{"Retry-After", "9"}})).retry_after(),
            std::chrono::seconds(9));
  EXPECT_EQ(StatusFromResponse(Answer(504, "")).retry_after(), std::nullopt);
}

TEST(ApiStatus, ForeignTextIsExcerpted) {
  const Status status = StatusFromResponse(Answer(404, "404 page not found\n"));
  EXPECT_CODE(Code::kNotFound, status);
  EXPECT_EQ(status.reason(), "") << "reasons are the API server's";
  EXPECT_NE(status.message().find("404 page not found"), std::string::npos);
  const Status proxy = StatusFromResponse(Answer(502, std::string(100'000, 'x')));
  EXPECT_CODE(Code::kUnavailable, proxy);
  EXPECT_LT(proxy.message().size(), 500u);
}

TEST(ApiStatus, RedirectSaysWhere) {
  const Status status = StatusFromResponse(Answer(302, "", {{"Location", "https://login/"}}));
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.message().find("https://login/"), std::string::npos);
}

TEST(ApiStatus, JsonThatIsNoStatusIsText) {
  const Status status = StatusFromResponse(Answer(403, R"({"kind":"Pod","apiVersion":"v1"})"));
  EXPECT_CODE(Code::kPermissionDenied, status);
  EXPECT_NE(status.message().find("Pod"), std::string::npos);
}

TEST(ApiStatus, FromTheObjectOfAnErrorEvent) {
  const auto blob = json::Parse(StatusText(410, "Expired"));
  ASSERT_OK(blob);
  EXPECT_CODE(Code::kGone, StatusFromObject(blob->view()));
  EXPECT_EQ(StatusFromObject(blob->view()).http_code(), 410);
  const auto success = json::Parse(R"({"kind":"Status","apiVersion":"v1","status":"Success"})");
  EXPECT_OK(StatusFromObject(success->view()));
  EXPECT_CODE(Code::kInternal, StatusFromObject(json::View()));
}

TEST(ApiStatus, WritesWhatItReads) {
  const Status statuses[] = {
      Status(Code::kConflict, "Conflict", "m"),
      Status(Code::kAlreadyExists, "AlreadyExists", "m"),
      Status(Code::kGone, "Expired", "m").WithRetryAfter(std::chrono::seconds(2)),
      Status(Code::kInvalid, "Invalid", "m").WithCause({"FieldValueInvalid", "x", "spec.a"}),
      Status(Code::kDeadlineExceeded, "Timeout", "m")
          .WithCause({"ResourceVersionTooLarge", "", ""}),
  };
  for (const Status& status : statuses) {
    const http::Response answer = Answer(HttpCodeFor(status), StatusToObject(status).Write());
    EXPECT_EQ(StatusFromResponse(answer), status.WithHttpCode(HttpCodeFor(status)));
  }
}

TEST(ApiStatus, OwnFailuresGetTheReasonAServerWouldGive) {
  EXPECT_EQ(StatusToObject(NotFoundError("x")).Find("reason")->string(), "NotFound");
  EXPECT_EQ(StatusToObject(AlreadyExistsError("x")).Find("reason")->string(), "AlreadyExists");
  EXPECT_EQ(StatusToObject(InternalError("x")).Find("reason")->string(), "InternalError");
  EXPECT_EQ(HttpCodeFor(InvalidError("x")), 400);
  EXPECT_EQ(HttpCodeFor(InvalidError("x").WithReason("Invalid")), 422);
  EXPECT_EQ(HttpCodeFor(InvalidError("x").WithHttpCode(418)), 418);
  EXPECT_EQ(HttpCodeFor(Status::Ok()), 200);
  EXPECT_EQ(StatusToObject(Status::Ok()).Find("status")->string(), "Success");
}

}  // namespace
}  // namespace hearth::kube
