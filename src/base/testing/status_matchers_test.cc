#include "base/testing/status_matchers.h"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

namespace hearth {
namespace {

Result<int> Fails() { return NotFoundError("no such thing"); }

TEST(StatusMatchers, TellTheStatusThatWasThere) {
  EXPECT_NONFATAL_FAILURE(EXPECT_OK(Fails()), "NotFound: no such thing");
  EXPECT_NONFATAL_FAILURE(EXPECT_CODE(Code::kInvalid, Fails()), "NotFound: no such thing");
  EXPECT_FATAL_FAILURE(ASSERT_OK(Fails()), "NotFound: no such thing");
  EXPECT_FATAL_FAILURE(
      {
        ASSERT_OK_AND_ASSIGN(const int value, Fails());
        static_cast<void>(value);
      },
      "NotFound: no such thing");
}

TEST(StatusMatchers, PassWhatIsRight) {
  ASSERT_OK(Status::Ok());
  EXPECT_CODE(Code::kNotFound, Fails());
  ASSERT_OK_AND_ASSIGN(const int value, Result<int>(3));
  EXPECT_EQ(value, 3);
}

}  // namespace
}  // namespace hearth
