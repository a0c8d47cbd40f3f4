#include "gms/failover/failover_lock.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <thread>

#include "base/file_system.h"
#include "base/testing/no_threads.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "gms/failover/lock_inspection.h"
#include "gms/failover/testing/forked.h"
#include "gms/failover/testing/log_signal.h"

namespace hearth::gms {
namespace {

constexpr char kWaiting[] = "waiting for the failover lock";
const WaitLimit kAtOnce{.deadline = SteadyTime::min()};

class FailoverLockTest : public ::testing::Test {
 protected:
  Logger Log() { return {log_, LogFormat::kText, LogLevel::kInfo}; }
  std::string Content() { return RealFileSystem().Read(path_, 4096).value_or(std::string("none")); }
  LockFacts Facts() {
    auto facts = InspectFailoverLock(path_);
    CHECK(facts.ok()) << facts.status().ToString();
    return *facts;
  }
  // A process that has the lock until it is killed.
  std::unique_ptr<Forked> Holder(const std::string& identity) {
    auto holder = std::make_unique<Forked>([&](Forked::Line& line) {
      FailoverLock lock(path_, identity, Logger::Null());
      CHECK(lock.Acquire(WaitLimit::Forever()).ok());
      line.Say('h');
      line.Hear();
    });
    CHECK(holder->Hear() == 'h');
    return holder;
  }

  TempDirectory directory_;
  std::string path_ = directory_ / "failover.lock";
  std::shared_ptr<LogSignal> log_ = std::make_shared<LogSignal>();
};

// C01: acquire writes the identity and keeps the descriptor; release closes it.
TEST_F(FailoverLockTest, C01AcquireWritesTheIdentityAndReleaseGivesTheLockUp) {
  FailoverLock lock(path_, "engine-0", Log());
  ASSERT_OK_AND_ASSIGN(FailoverLock::Acquired acquired, lock.Acquire(WaitLimit::Forever()));
  EXPECT_FALSE(acquired.was_contended);
  EXPECT_TRUE(lock.held());
  EXPECT_EQ(Content(), "engine-0");
  EXPECT_EQ(Facts().state, LockState::kHeld);
  lock.Release();
  EXPECT_FALSE(lock.held());
  EXPECT_EQ(Facts().state, LockState::kFree);
  lock.Release();
}

TEST_F(FailoverLockTest, AShorterIdentityLeavesNothingOfALongerOne) {
  {
    FailoverLock lock(path_, "engine-1000000", Log());
    ASSERT_OK(lock.Acquire(WaitLimit::Forever()));
  }
  FailoverLock lock(path_, "engine-1", Log());
  ASSERT_OK(lock.Acquire(WaitLimit::Forever()));
  EXPECT_EQ(Content(), "engine-1");
  EXPECT_EQ(Facts().owner, ThisProcess("engine-1"));
}

// C02: a second object waits, also in the same process, and has the lock after the release.
TEST_F(FailoverLockTest, C02WaiterGetsTheLockWhenItIsReleased) {
  FailoverLock first(path_, "engine-0", Log());
  FailoverLock second(path_, "engine-1", Log());
  ASSERT_OK(first.Acquire(WaitLimit::Forever()));
  Result<FailoverLock::Acquired> acquired = InternalError("not run");
  std::jthread waiter([&] { acquired = second.Acquire(WaitLimit::Forever()); });
  log_->Await(kWaiting);
  EXPECT_FALSE(second.held());
  EXPECT_EQ(Content(), "engine-0");
  first.Release();
  waiter.join();
  ASSERT_OK(acquired);
  EXPECT_TRUE(acquired->was_contended);
  EXPECT_TRUE(second.held());
  EXPECT_EQ(Content(), "engine-1");
}

// C03: the holder's process is killed; the one that waits has the lock.
TEST_F(FailoverLockTest, C03WaiterGetsTheLockWhenTheHolderIsKilled) {
  auto holder = Holder("engine-0");
  FailoverLock lock(path_, "engine-1", Log());
  Result<FailoverLock::Acquired> acquired = InternalError("not run");
  std::jthread waiter([&] { acquired = lock.Acquire(WaitLimit::Forever()); });
  log_->Await(kWaiting);
  EXPECT_NE(log_->text().find("engine-0 (pid " + std::to_string(holder->pid())), std::string::npos);
  holder->Kill();
  waiter.join();
  ASSERT_OK(acquired);
  EXPECT_TRUE(acquired->was_contended);
  EXPECT_EQ(Content(), "engine-1");
}

TEST_F(FailoverLockTest, AWaitThatCannotBeWatchedIsRefused) {
  auto holder = Holder("engine-0");
  FailoverLock lock(path_, "engine-1", Log());
  {
    const NoThreads none;
    const Status status = lock.Acquire(WaitLimit::Forever()).status();
    EXPECT_NE(status.message().find("no thread"), std::string_view::npos) << status;
  }
  holder->Kill();
  EXPECT_OK(lock.Acquire(WaitLimit::Forever()));
}

// C04: nobody before the first use, the identity while held and after, for everybody to read.
TEST_F(FailoverLockTest, C04OwnerIsReadableByOthersAndStaysAfterRelease) {
  EXPECT_EQ(Facts().identity, "");
  EXPECT_EQ(Facts().state, LockState::kFree);
  auto holder = Holder("engine-7");
  EXPECT_EQ(Facts().identity, "engine-7");
  EXPECT_EQ(Facts().state, LockState::kHeld);
  ASSERT_TRUE(Facts().owner.has_value());
  EXPECT_EQ(Facts().owner->pid, holder->pid());
  EXPECT_EQ(StateOf(*Facts().owner), ProcessState::kRunning);
  holder->Kill();
  EXPECT_EQ(Facts().identity, "engine-7");
  EXPECT_EQ(Facts().state, LockState::kFree);
  EXPECT_EQ(StateOf(*Facts().owner), ProcessState::kGone);
}

// Says 'l' on the line when its process begins to wait.
class SaysThatItWaits : public LogSink {
 public:
  explicit SaysThatItWaits(Forked::Line& line) : line_(line) {}
  void Write(LogLevel /*level*/, std::string_view text) override {
    if (text.find(kWaiting) != std::string_view::npos) {
      line_.Say('l');
    }
  }

 private:
  Forked::Line& line_;
};

// C05: of two processes that race one wins without waiting, the other waits for it; both finish.
TEST_F(FailoverLockTest, C05OfTwoProcessesOneWinsAtOnceAndTheOtherWaits) {
  auto racer = [this](Forked::Line& line) {
    FailoverLock lock(
        path_, "engine-" + std::to_string(::getpid()),
        Logger(std::make_shared<SaysThatItWaits>(line), LogFormat::kText, LogLevel::kInfo));
    line.Hear();
    auto acquired = lock.Acquire(WaitLimit::Forever());
    line.Say(!acquired.ok() ? 'x' : acquired->was_contended ? 'c' : 'w');
    line.Hear();  // holds until told
    lock.Release();
    line.Say('f');
  };
  Forked one(racer);
  Forked two(racer);
  one.Say('g');
  two.Say('g');
  char first = one.Hear();
  char second = two.Hear();
  EXPECT_EQ(std::string({std::min(first, second), std::max(first, second)}), "lw");
  Forked& winner = first == 'w' ? one : two;
  Forked& loser = first == 'w' ? two : one;
  winner.Say('r');
  EXPECT_EQ(winner.Hear(), 'f');
  EXPECT_EQ(loser.Hear(), 'c');
  loser.Say('r');
  EXPECT_EQ(loser.Hear(), 'f');
}

// W-15: a second acquire does not wait for itself.
TEST_F(FailoverLockTest, AcquiringTwiceIsAnErrorAtOnce) {
  FailoverLock lock(path_, "engine-0", Log());
  ASSERT_OK(lock.Acquire(WaitLimit::Forever()));
  EXPECT_CODE(Code::kConflict, lock.Acquire(WaitLimit::Forever()));
  EXPECT_TRUE(lock.held());
  lock.Release();
  EXPECT_OK(lock.Acquire(WaitLimit::Forever()));
}

TEST_F(FailoverLockTest, AcquiringWhileWaitingIsAnErrorAtOnce) {
  auto holder = Holder("engine-0");
  FailoverLock lock(path_, "engine-1", Log());
  std::stop_source stop;
  std::jthread waiter(
      [&] { EXPECT_CODE(Code::kCancelled, lock.Acquire({.stop = stop.get_token()})); });
  log_->Await(kWaiting);
  EXPECT_CODE(Code::kConflict, lock.Acquire(WaitLimit::Forever()));
  stop.request_stop();
}

TEST_F(FailoverLockTest, WaitEndsWithItsDeadlineAndNamesTheHolder) {
  auto holder = Holder("engine-0");
  FailoverLock lock(path_, "engine-1", Log());
  for (Duration patience : {Duration(0), Duration(std::chrono::milliseconds(5))}) {
    Status status = lock.Acquire(WaitLimit::For(RealClock(), patience)).status();
    EXPECT_CODE(Code::kDeadlineExceeded, status);
    EXPECT_NE(status.message().find("held by engine-0 (pid"), std::string_view::npos) << status;
    EXPECT_FALSE(lock.held());
  }
  EXPECT_EQ(Content(), "engine-0");
  holder->Kill();
  EXPECT_OK(lock.Acquire(WaitLimit::Forever()));
}

TEST_F(FailoverLockTest, WaitEndsWhenStoppedAndCanBeTakenUpAgain) {
  auto holder = Holder("engine-0");
  FailoverLock lock(path_, "engine-1", Log());
  for (int round = 0; round < 50; ++round) {
    std::stop_source stop;
    std::jthread stopper([&] { stop.request_stop(); });  // before, at or after the wait begins
    EXPECT_CODE(Code::kCancelled, lock.Acquire({.stop = stop.get_token()}));
  }
  holder->Kill();
  EXPECT_OK(lock.Acquire(WaitLimit::Forever()));
}

// A wait that is called off while the lock comes must end with the lock free or ours.
TEST_F(FailoverLockTest, StopAndReleaseAtTheSameMomentLoseNothing) {
  FailoverLock first(path_, "engine-0", Logger::Null());
  FailoverLock second(path_, "engine-1", Logger::Null());
  for (int round = 0; round < 100; ++round) {
    ASSERT_OK(first.Acquire(WaitLimit::Forever()));
    std::stop_source stop;
    std::jthread waiter([&] { (void)second.Acquire({.stop = stop.get_token()}); });
    std::jthread stopper([&] { stop.request_stop(); });
    first.Release();
    waiter.join();
    EXPECT_EQ(second.held(), !first.Acquire(kAtOnce).ok());
    first.Release();
    second.Release();
  }
}

TEST_F(FailoverLockTest, OtherSignalsDoNotEndTheWait) {
  struct sigaction quiet {};
  quiet.sa_handler = [](int) {};
  struct sigaction before {};
  ASSERT_EQ(::sigaction(SIGUSR1, &quiet, &before), 0);
  FailoverLock first(path_, "engine-0", Log());
  FailoverLock second(path_, "engine-1", Log());
  ASSERT_OK(first.Acquire(WaitLimit::Forever()));
  std::jthread waiter([&] { EXPECT_OK(second.Acquire(WaitLimit::Forever())); });
  log_->Await(kWaiting);
  ::pthread_kill(waiter.native_handle(), SIGUSR1);
  first.Release();
  waiter.join();
  EXPECT_TRUE(second.held());
  ::sigaction(SIGUSR1, &before, nullptr);
}

// W-15: an engine's forked worker outlives it; the standby gets the lock all the same.
TEST_F(FailoverLockTest, ForkedChildOfTheHolderDoesNotKeepTheLock) {
  Forked holder([this](Forked::Line& line) {
    FailoverLock lock(path_, "engine-0", Logger::Null());
    CHECK(lock.Acquire(WaitLimit::Forever()).ok());
    if (::fork() == 0) {
      CHECK(!lock.held());
      line.Say('c');
    }
    line.Hear();
  });
  ASSERT_EQ(holder.Hear(), 'c');
  EXPECT_EQ(Facts().state, LockState::kHeld);
  holder.KillOnlyIt();
  FailoverLock lock(path_, "engine-1", Log());
  EXPECT_OK(lock.Acquire(kAtOnce));
}

TEST_F(FailoverLockTest, ForkedChildCanWaitForTheLockOfItsParent) {
  FailoverLock lock(path_, "engine-0", Logger::Null());
  ASSERT_OK(lock.Acquire(WaitLimit::Forever()));
  Forked child([&](Forked::Line& line) {
    lock.Release();  // not the child's to release
    line.Say(lock.Acquire(kAtOnce).status().Is(Code::kDeadlineExceeded) ? 'd' : 'x');
    line.Say(lock.Acquire(WaitLimit::Forever()).ok() ? 'h' : 'x');
    line.Hear();
  });
  EXPECT_EQ(child.Hear(), 'd');
  EXPECT_TRUE(lock.held());
  EXPECT_EQ(Facts().state, LockState::kHeld);
  lock.Release();
  EXPECT_EQ(child.Hear(), 'h');
}

// A holder that forks past the C library (or is no Hearth program) leaves the descriptor behind.
TEST_F(FailoverLockTest, DeadHolderWhoseDescriptorLivesOnIsToldApart) {
  Forked holder([this](Forked::Line& line) {
    FailoverLock lock(path_, "engine-0", Logger::Null());
    CHECK(lock.Acquire(WaitLimit::Forever()).ok());
    if (::syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr) == 0) {
      line.Say('c');
    }
    line.Hear();
  });
  ASSERT_EQ(holder.Hear(), 'c');
  FailoverLock lock(path_, "engine-1", Log());
  std::stop_source stop;
  Status status;
  std::jthread waiter([&] { status = lock.Acquire({.stop = stop.get_token()}).status(); });
  log_->Await(kWaiting);
  EXPECT_EQ(Facts().state, LockState::kHeld);
  holder.KillOnlyIt();
  log_->Await("the holder of the failover lock is dead and the lock is not free");
  EXPECT_EQ(Facts().state, LockState::kOrphaned);
  stop.request_stop();
  waiter.join();
  EXPECT_CODE(Code::kCancelled, status);
  EXPECT_NE(status.message().find("which is gone"), std::string_view::npos) << status;
  holder.Kill();  // with what it left behind
  EXPECT_OK(lock.Acquire(WaitLimit::Forever()));
}

TEST_F(FailoverLockTest, ReplacedFileKeepsNobodyOutAndLetsNobodyInTwice) {
  FailoverLock first(path_, "engine-0", Log());
  FailoverLock second(path_, "engine-1", Log());
  ASSERT_OK(first.Acquire(WaitLimit::Forever()));
  std::jthread waiter([&] { EXPECT_OK(second.Acquire(WaitLimit::Forever())); });
  log_->Await(kWaiting);
  std::filesystem::remove(path_);
  FailoverLock third(path_, "engine-2", Log());
  ASSERT_OK(third.Acquire(WaitLimit::Forever()));
  first.Release();  // the waiter has the old file now, sees it, and waits for the new one
  third.Release();
  waiter.join();
  EXPECT_TRUE(second.held());
  EXPECT_EQ(Content(), "engine-1");
}

TEST_F(FailoverLockTest, FileThatCannotBeUsedIsTold) {
  FailoverLock lock(directory_ / "no/such/directory/lock", "engine-0", Log());
  Status status = lock.Acquire(WaitLimit::Forever()).status();
  EXPECT_CODE(Code::kNotFound, status);
  EXPECT_NE(status.message().find("no/such/directory/lock"), std::string_view::npos);
  EXPECT_CODE(Code::kNotFound, lock.Acquire(WaitLimit::Forever()));
}

TEST_F(FailoverLockTest, DescriptorDiesWithExec) {
  FailoverLock lock(path_, "engine-0", Log());
  ASSERT_OK(lock.Acquire(WaitLimit::Forever()));
  int found = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code error;
    if (std::filesystem::read_symlink(entry.path(), error) == path_) {
      ++found;
      int fd = std::stoi(entry.path().filename());
      EXPECT_EQ(::fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    }
  }
  EXPECT_EQ(found, 1);
}

TEST_F(FailoverLockTest, NoDescriptorIsLeftBehind) {
  auto open_files = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  };
  auto before = open_files();
  for (int round = 0; round < 10; ++round) {
    FailoverLock first(path_, "engine-0", Logger::Null());
    FailoverLock second(path_, "engine-1", Logger::Null());
    ASSERT_OK(first.Acquire(WaitLimit::Forever()));
    EXPECT_CODE(Code::kDeadlineExceeded,
                second.Acquire(WaitLimit::For(RealClock(), std::chrono::milliseconds(1))));
  }
  EXPECT_EQ(open_files(), before);
}

}  // namespace
}  // namespace hearth::gms
