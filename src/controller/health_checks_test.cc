#include "controller/health_checks.h"

#include <gtest/gtest.h>

namespace hearth::controller {
namespace {

class HealthChecksTest : public testing::Test {
 protected:
  HealthChecksTest() {
    checks_.Add("ping", [] { return Status::Ok(); });
    checks_.Add("disk", [this] { return disk_; });
  }
  Status disk_;
  HealthChecks checks_{"readyz"};
};

TEST_F(HealthChecksTest, AllFineIsSaidInOneWord) {
  const http::Response answer = checks_.Answer("", "");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "ok");
  EXPECT_EQ(checks_.Answer("/", "").body, "ok");
}

TEST_F(HealthChecksTest, VerboseTellsEach) {
  const http::Response answer = checks_.Answer("", "verbose");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "[+]ping ok\n[+]disk ok\nreadyz check passed\n");
}

TEST_F(HealthChecksTest, FailureTellsEachAndWhy) {
  disk_ = ExhaustedError("no space");
  const http::Response answer = checks_.Answer("", "");
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(answer.body, "[+]ping ok\n[-]disk failed: no space\nreadyz check failed\n");
}

TEST_F(HealthChecksTest, ExcludedCheckIsNotAsked) {
  disk_ = ExhaustedError("no space");
  EXPECT_EQ(checks_.Answer("", "exclude=disk").status, 200);
  EXPECT_EQ(checks_.Answer("", "exclude=disk&verbose").body,
            "[+]ping ok\n[+]disk excluded: ok\nreadyz check passed\n");
}

TEST_F(HealthChecksTest, SingleCheckCanBeAsked) {
  disk_ = ExhaustedError("no space");
  EXPECT_EQ(checks_.Answer("/ping", "").status, 200);
  EXPECT_EQ(checks_.Answer("/disk", "").status, 500);
  EXPECT_EQ(checks_.Answer("/other", "").status, 404);
}

}  // namespace
}  // namespace hearth::controller
