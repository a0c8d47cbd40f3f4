#include "gms/failover/lock_owner.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/testing/status_matchers.h"
#include "gms/failover/internal/kernel_locks.h"

namespace hearth::gms {
namespace {

TEST(LockOwner, IsReadAsItWasWritten) {
  LockOwner owner{.identity = "engine-0 of two", .pid = 12, .start_time = 345, .pid_namespace = 6};
  EXPECT_EQ(FormatLockOwner(owner), "1 12 345 6 engine-0 of two\n");
  ASSERT_OK_AND_ASSIGN(LockOwner read, ParseLockOwner(FormatLockOwner(owner)));
  EXPECT_EQ(read, owner);
}

TEST(LockOwner, AnythingElseIsRefused) {
  for (const char* text : {"", "engine-0", "1 12 345 6", "2 12 345 6 engine-0", "1 x 345 6 e",
                           "1 0 345 6 e", "1 -5 345 6 e", "1 12 345x 6 e", "1 12 345 -6 e",
                           "1 99999999999999999999 345 6 e", "1  345 6 e"}) {
    EXPECT_CODE(Code::kInvalid, ParseLockOwner(text));
  }
}

TEST(LockOwner, ThisProcessRuns) {
  LockOwner us = ThisProcess("engine-0");
  EXPECT_EQ(us.pid, ::getpid());
  EXPECT_NE(us.start_time, 0U);
  EXPECT_EQ(StateOf(us), ProcessState::kRunning);
}

TEST(LockOwner, PidThatWasUsedAgainIsAnotherProcess) {
  LockOwner before = ThisProcess("engine-0");
  before.start_time -= 1;
  EXPECT_EQ(StateOf(before), ProcessState::kGone);
}

TEST(LockOwner, ProcessOfAnotherNamespaceIsUnknown) {
  LockOwner elsewhere = ThisProcess("engine-0");
  elsewhere.pid_namespace += 1;
  EXPECT_EQ(StateOf(elsewhere), ProcessState::kUnknown);
}

TEST(KernelLocks, TakerIsFoundAndWaitersAreNot) {
  constexpr char kLocks[] =
      "1: POSIX  ADVISORY  WRITE 11 08:01:131 0 EOF\n"
      "2: FLOCK  ADVISORY  READ  12 08:01:131 0 EOF\n"
      "3: FLOCK  ADVISORY  WRITE 13 08:01:132 0 EOF\n"
      "4: FLOCK  ADVISORY  WRITE 14 08:01:131 0 EOF\n"
      "4: -> FLOCK  ADVISORY  WRITE 15 08:01:133 0 EOF\n"
      "5: FLOCK  ADVISORY  WRITE -1 08:01:134 0 EOF\n";
  EXPECT_EQ(internal::FindFlockTaker(kLocks, "08:01:131"), 14);
  EXPECT_EQ(internal::FindFlockTaker(kLocks, "08:01:133"), std::nullopt);
  EXPECT_EQ(internal::FindFlockTaker(kLocks, "08:01:134"), std::nullopt);
  EXPECT_EQ(internal::FindFlockTaker("", "08:01:131"), std::nullopt);
}

}  // namespace
}  // namespace hearth::gms
