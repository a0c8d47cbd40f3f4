#include "gms/protocol/errors.h"

#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"

namespace hearth::gms {
namespace {

TEST(Errors, EveryNumberComesBackAsItself) {
  for (int64_t number = 1; number <= static_cast<int64_t>(ErrorCode::kInternal); ++number) {
    const Status status = StatusOf({.error = "text", .code = number});
    EXPECT_EQ(static_cast<int64_t>(ErrorCodeOf(status)), number);
    EXPECT_EQ(status.message(), "text");
    const ErrorResponse again = ToErrorResponse(status.WithContext("while"));
    EXPECT_EQ(again.code, number);
  }
}

TEST(Errors, AStatusWithoutAReasonGoesByItsCode) {
  EXPECT_EQ(ErrorCodeOf(Status(Code::kPermissionDenied, "no")), ErrorCode::kNotAllowed);
  EXPECT_EQ(ErrorCodeOf(NotFoundError("Unknown allocation: x")), ErrorCode::kUnknownAllocation);
  EXPECT_EQ(ErrorCodeOf(InvalidError("size must be > 0")), ErrorCode::kInvalidArgument);
  EXPECT_EQ(ErrorCodeOf(Status::Ok()), ErrorCode::kNone);
}

TEST(Errors, ANumberThatWeDoNotKnowIsStillAnError) {
  EXPECT_FALSE(StatusOf({.error = "x", .code = 0}).ok());
  EXPECT_FALSE(StatusOf({.error = "x", .code = 4711}).ok());
}

}  // namespace
}  // namespace hearth::gms
