#include "kube/config/credentials.h"

#include <gtest/gtest.h>

#include "base/testing/manual_clock.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"

namespace hearth::kube {
namespace {

std::string AuthorizationOf(Credentials& credentials) {
  auto current = credentials.Get(WaitLimit::Forever());
  EXPECT_OK(current);
  return current.ok() ? current->authorization : "";
}

TEST(FixedCredentials, NeverBlock) {
  EXPECT_EQ(AuthorizationOf(*NoCredentials()), "");
  EXPECT_EQ(AuthorizationOf(*StaticToken("abc")), "Bearer abc");
  EXPECT_EQ(AuthorizationOf(*BasicAuth("user", "pass:word")), "Basic dXNlcjpwYXNzOndvcmQ=");
  EXPECT_FALSE(StaticToken("abc")->MayBlock());
}

TEST(FixedCredentials, ATokenCannotBreakOutOfItsHeader) {
  for (const char* token : {"", "a\nX-Other: b", "a b", "\x7f"}) {
    const auto current = StaticToken(token)->Get(WaitLimit::Forever());
    EXPECT_CODE(Code::kInvalid, current);
    EXPECT_EQ(current.status().message().find("X-Other"), std::string_view::npos);
  }
}

class TokenFileTest : public ::testing::Test {
 protected:
  void Write(const std::string& text) { ASSERT_OK(RealFileSystem().Write(path_, text, 0600)); }

  TempDirectory directory_;
  const std::string path_ = directory_ / "token";
  ManualClock clock_;
  std::unique_ptr<Credentials> credentials_ = TokenFile(path_, RealFileSystem(), clock_);
};

TEST_F(TokenFileTest, IsReadAgainAfterAMinute) {
  Write("one\n");
  EXPECT_EQ(AuthorizationOf(*credentials_), "Bearer one");
  Write("two\n");
  clock_.Advance(std::chrono::seconds(59));
  EXPECT_EQ(AuthorizationOf(*credentials_), "Bearer one");
  clock_.Advance(std::chrono::seconds(1));
  EXPECT_EQ(AuthorizationOf(*credentials_), "Bearer two");
}

TEST_F(TokenFileTest, IsReadAgainAfterARejection) {
  Write("one");
  EXPECT_EQ(AuthorizationOf(*credentials_), "Bearer one");
  Write("two");
  credentials_->Rejected();
  EXPECT_EQ(AuthorizationOf(*credentials_), "Bearer two");
}

TEST_F(TokenFileTest, TheLastTokenGoesOnWhileTheFileIsAway) {
  Write("one");
  EXPECT_EQ(AuthorizationOf(*credentials_), "Bearer one");
  for (const bool removed : {true, false}) {
    if (removed) {
      ASSERT_OK(RealFileSystem().Remove(path_));
    } else {
      Write(" \n");
    }
    clock_.Advance(std::chrono::minutes(2));
    EXPECT_EQ(AuthorizationOf(*credentials_), "Bearer one");
  }
  Write("two");
  EXPECT_EQ(AuthorizationOf(*credentials_), "Bearer two");
}

TEST_F(TokenFileTest, WithoutAnyTokenTheErrorNamesTheFile) {
  const auto missing = credentials_->Get(WaitLimit::Forever());
  EXPECT_CODE(Code::kNotFound, missing);
  EXPECT_NE(missing.status().message().find(path_), std::string_view::npos);
  Write("");
  const auto empty = credentials_->Get(WaitLimit::Forever());
  EXPECT_CODE(Code::kInvalid, empty);
  EXPECT_NE(empty.status().message().find(path_), std::string_view::npos);
}

}  // namespace
}  // namespace hearth::kube
