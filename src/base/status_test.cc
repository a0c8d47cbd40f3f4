#include "base/status.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <set>
#include <sstream>

namespace hearth {
namespace {

TEST(Status, DefaultIsOkAndSaysSo) {
  const Status status;
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(status.code(), Code::kOk);
  EXPECT_EQ(status.message(), "");
  EXPECT_TRUE(status.causes().empty());
  EXPECT_EQ(status.retry_after(), std::nullopt);
  EXPECT_EQ(status.ToString(), "Ok");
}

TEST(Status, OkCodeWithMessageIsStillOk) { EXPECT_EQ(Status(Code::kOk, "ignored"), Status::Ok()); }

TEST(Status, HoldsCodeReasonAndMessage) {
  const Status status(Code::kConflict, "AlreadyBound", "pod a/b is bound");
  EXPECT_FALSE(status.ok());
  EXPECT_TRUE(status.Is(Code::kConflict));
  EXPECT_EQ(status.reason(), "AlreadyBound");
  EXPECT_EQ(status.message(), "pod a/b is bound");
}

TEST(Status, ContextGoesInFrontAndKeepsEverythingElse) {
  const Status status = Status(Code::kNotFound, "Gone", "no such pod")
                            .WithCause({"Missing", "must exist", "spec.pod"})
                            .WithRetryAfter(std::chrono::milliseconds(250))
                            .WithHttpCode(404)
                            .WithContext("get pod a/b")
                            .WithContext("reconcile x");
  EXPECT_EQ(status.message(), "reconcile x: get pod a/b: no such pod");
  EXPECT_EQ(status.code(), Code::kNotFound);
  EXPECT_EQ(status.reason(), "Gone");
  EXPECT_EQ(status.http_code(), 404);
  EXPECT_EQ(status.retry_after(), std::chrono::milliseconds(250));
  ASSERT_EQ(status.causes().size(), 1U);
  EXPECT_EQ(status.causes()[0], (Cause{"Missing", "must exist", "spec.pod"}));
}

TEST(Status, ChangesLeaveTheOriginalAlone) {
  const Status first = InvalidError("bad");
  const Status copy = first;
  static_cast<void>(copy.WithContext("x").WithReason("R").WithCause({"", "c", ""}));
  EXPECT_EQ(first.ToString(), "Invalid: bad");
  EXPECT_EQ(copy, first);
}

TEST(Status, ChangesToOkDoNothing) {
  const Status status = Status::Ok().WithContext("x").WithReason("R").WithHttpCode(500);
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(status.http_code(), 0);
}

TEST(Status, ToStringTellsReasonAndCauses) {
  const Status status = Status(Code::kConflict, "AlreadyBound", "message")
                            .WithCause({"Required", "must be set", "spec.a"})
                            .WithCause({"OnlyReason", "", ""});
  EXPECT_EQ(status.ToString(),
            "Conflict (AlreadyBound): message [spec.a: must be set; OnlyReason]");
  std::ostringstream out;
  out << status;
  EXPECT_EQ(out.str(), status.ToString());
}

TEST(Status, EqualityComparesEveryPart) {
  const Status base = InvalidError("m");
  EXPECT_EQ(base, InvalidError("m"));
  EXPECT_FALSE(base == InvalidError("n"));
  EXPECT_FALSE(base == ConflictError("m"));
  EXPECT_FALSE(base == Status::Ok());
  EXPECT_FALSE(base == base.WithReason("R"));
  EXPECT_FALSE(base == base.WithCause({}));
  EXPECT_FALSE(base == base.WithHttpCode(1));
  EXPECT_FALSE(base == base.WithRetryAfter(std::chrono::milliseconds(1)));
}

TEST(Status, FromErrnoMapsToTheNearestCodeAndNamesWhatFailed) {
  const std::pair<int, Code> kCases[] = {
      {ENOENT, Code::kNotFound},
      {EEXIST, Code::kAlreadyExists},
      {EACCES, Code::kPermissionDenied},
      {EINVAL, Code::kInvalid},
      {ENOSPC, Code::kExhausted},
      {ECONNREFUSED, Code::kUnavailable},
      {ETIMEDOUT, Code::kDeadlineExceeded},
      {ECANCELED, Code::kCancelled},
      {ENOSYS, Code::kUnsupported},
      {EIO, Code::kDataLoss},
      {EDEADLK, Code::kInternal},
  };
  for (const auto& [error, code] : kCases) {
    EXPECT_EQ(CodeName(Status::FromErrno(error, "x").code()), CodeName(code)) << error;
  }
  EXPECT_EQ(Status::FromErrno(ENOENT, "read /a").message(), "read /a: No such file or directory");
  EXPECT_EQ(Status::FromErrno(99999, "x").message(), "x: error 99999");
}

TEST(Status, EveryCodeHasItsOwnName) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(Code::kInternal); ++i) {
    names.insert(CodeName(static_cast<Code>(i)));
  }
  EXPECT_EQ(names.size(), static_cast<size_t>(Code::kInternal) + 1);
  EXPECT_FALSE(names.contains("Unknown"));
  EXPECT_EQ(CodeName(static_cast<Code>(99)), "Unknown");
}

TEST(Status, MakersGiveTheirCode) {
  EXPECT_EQ(InvalidError("").code(), Code::kInvalid);
  EXPECT_EQ(NotFoundError("").code(), Code::kNotFound);
  EXPECT_EQ(AlreadyExistsError("").code(), Code::kAlreadyExists);
  EXPECT_EQ(ConflictError("").code(), Code::kConflict);
  EXPECT_EQ(UnavailableError("").code(), Code::kUnavailable);
  EXPECT_EQ(DeadlineError("").code(), Code::kDeadlineExceeded);
  EXPECT_EQ(CancelledError("").code(), Code::kCancelled);
  EXPECT_EQ(ExhaustedError("").code(), Code::kExhausted);
  EXPECT_EQ(UnsupportedError("").code(), Code::kUnsupported);
  EXPECT_EQ(DataLossError("").code(), Code::kDataLoss);
  EXPECT_EQ(InternalError("").code(), Code::kInternal);
}

}  // namespace
}  // namespace hearth
