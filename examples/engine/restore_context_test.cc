#include "restore_context.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"

namespace hearth::engine {
namespace {

class RestoreContext : public testing::Test {
 protected:
  ~RestoreContext() override {
    for (const char* const name : {"ENGINE_ID", "FAILOVER_LOCK_PATH", "POD_NAME", "HOME_OF_MINE"}) {
      ::unsetenv(name);
    }
  }
  static std::string Variable(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? "(none)" : value;
  }
  TempDirectory directory_;
};

TEST_F(RestoreContext, GivesAnEngineTheNameOfTheContainerItIsIn) {
  ::setenv("ENGINE_ID", "1", 1);
  ::setenv("POD_NAME", "restored", 1);
  ::unsetenv("FAILOVER_LOCK_PATH");
  ASSERT_OK(WriteRestoreContext(RealFileSystem(), directory_.path()));

  // As in the container that was captured.
  ::setenv("ENGINE_ID", "0", 1);
  ::setenv("POD_NAME", "captured", 1);
  ::setenv("FAILOVER_LOCK_PATH", "/captured/lock", 1);
  ASSERT_OK(ApplyRestoreContext(RealFileSystem(), directory_.path()));
  EXPECT_EQ(Variable("ENGINE_ID"), "1");
  EXPECT_EQ(Variable("POD_NAME"), "restored");
  EXPECT_EQ(Variable("FAILOVER_LOCK_PATH"), "(none)") << "it is not set in this container";
}

TEST_F(RestoreContext, SetsNothingThatIsNotTheContainersOwn) {
  ASSERT_OK(RealFileSystem().Write(directory_ / "restore-context.json",
                                   R"({"env": {"HOME_OF_MINE": "/x", "POD_NAME": "p"}})", 0644));
  ASSERT_OK(ApplyRestoreContext(RealFileSystem(), directory_.path()));
  EXPECT_EQ(Variable("HOME_OF_MINE"), "(none)");
  EXPECT_EQ(Variable("POD_NAME"), "p");
}

TEST_F(RestoreContext, TellsAFileThatIsNotThereFromOneThatIsWrong) {
  EXPECT_EQ(ApplyRestoreContext(RealFileSystem(), directory_.path()).code(), Code::kNotFound);
  ASSERT_OK(RealFileSystem().Write(directory_ / "restore-context.json", "[]", 0644));
  EXPECT_EQ(ApplyRestoreContext(RealFileSystem(), directory_.path()).code(), Code::kInvalid);
}

}  // namespace
}  // namespace hearth::engine
