#include "agent/host/freezer.h"

#include <gtest/gtest.h>

#include "base/file_system.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"

namespace hearth::agent {
namespace {

// Files as a cgroup has them: what is written is shorter or as long as what was there.
class FreezerTest : public testing::Test {
 protected:
  void Put(const std::string& name, const std::string& text) {
    ASSERT_OK(RealFileSystem().Write(cgroup_ / name, text, 0600));
  }
  std::string Text(const std::string& name) {
    return RealFileSystem().Read(cgroup_ / name, 1 << 10).value_or("");
  }
  Result<bool> FreezeIt() {
    return Freeze(cgroup_.path(), WaitLimit::For(RealClock(), std::chrono::milliseconds(2)),
                  RealClock());
  }
  TempDirectory cgroup_;
};

TEST_F(FreezerTest, OfTheOldHierarchy) {
  Put("freezer.state", "THAWED");
  EXPECT_TRUE(*FreezeIt());
  EXPECT_EQ(Text("freezer.state"), "FROZEN");
  EXPECT_OK(Thaw(cgroup_.path()));
  EXPECT_EQ(Text("freezer.state"), "THAWED");
}

TEST_F(FreezerTest, OfTheUnifiedHierarchy) {
  Put("cgroup.freeze", "0\n");
  Put("cgroup.events", "populated 1\nfrozen 1\n");
  EXPECT_TRUE(*FreezeIt());
  EXPECT_EQ(Text("cgroup.freeze"), "1\n");
  EXPECT_OK(Thaw(cgroup_.path()));
  EXPECT_EQ(Text("cgroup.freeze"), "0\n");
}

// Whoever stopped it lets it go on.
TEST_F(FreezerTest, WhatStandsAlreadyIsNotOurs) {
  for (const char* const state : {"FROZEN\n", "FREEZING\n"}) {
    Put("freezer.state", state);
    EXPECT_FALSE(*FreezeIt());
    EXPECT_EQ(Text("freezer.state"), state);
  }
}

TEST_F(FreezerTest, WhatDoesNotStandInTimeRunsOn) {
  Put("cgroup.freeze", "0\n");
  Put("cgroup.events", "populated 1\nfrozen 0\n");
  EXPECT_FALSE(*FreezeIt());
  EXPECT_EQ(Text("cgroup.freeze"), "0\n");
}

TEST_F(FreezerTest, WithoutOneNothingIsStopped) {
  EXPECT_FALSE(*FreezeIt());
  EXPECT_FALSE(*Freeze("", WaitLimit::Forever(), RealClock()));
}

// What tells is not there: it must not stay stopped.
TEST_F(FreezerTest, WhatCannotBeAskedRunsOn) {
  Put("cgroup.freeze", "0\n");
  EXPECT_CODE(Code::kNotFound, FreezeIt());
  EXPECT_EQ(Text("cgroup.freeze"), "0\n");
}

}  // namespace
}  // namespace hearth::agent
