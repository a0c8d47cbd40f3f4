#include "base/parent_tie.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <utility>

#include "base/testing/status_matchers.h"

namespace hearth {
namespace {

// A pipe whose end tells that all who could write are dead.
class Life {
 public:
  Life() { EXPECT_EQ(::pipe(ends_.data()), 0); }
  ~Life() {
    ::close(ends_[0]);
    LetGo();
  }
  void Write(char byte) const { EXPECT_EQ(::write(ends_[1], &byte, 1), 1); }
  void LetGo() { ::close(std::exchange(ends_[1], -1)); }
  char Read() const {
    char byte = 0;
    return ::read(ends_[0], &byte, 1) == 1 ? byte : '\0';
  }

 private:
  std::array<int, 2> ends_{};
};

// As when it is killed between fork and prctl: the signal comes never.
TEST(ParentTie, AChildWhoseParentHasEndedBeforeIsTold) {
  Life life;
  const pid_t parent = ::fork();
  if (parent == 0) {
    auto tie = ParentTie::Make();
    Life of_parent;
    if (::fork() == 0) {
      of_parent.LetGo();
      of_parent.Read();  // until the parent is dead
      life.Write(tie.ok() && !tie->Hold() ? 't' : 'f');
      ::_exit(0);
    }
    ::_exit(0);
  }
  life.LetGo();
  EXPECT_EQ(life.Read(), 't');
  EXPECT_EQ(life.Read(), '\0');
  EXPECT_EQ(::waitpid(parent, nullptr, 0), parent);
}

TEST(ParentTie, AChildDiesWithItsParent) {
  Life life;
  const pid_t parent = ::fork();
  if (parent == 0) {
    auto tie = ParentTie::Make();
    if (::fork() == 0) {
      if (tie->Hold()) {
        life.Write('h');
        ::pause();
      }
      ::_exit(0);
    }
    tie->Confirm();
    ::pause();
  }
  life.LetGo();
  EXPECT_EQ(life.Read(), 'h');
  EXPECT_EQ(::kill(parent, SIGKILL), 0);
  EXPECT_EQ(life.Read(), '\0');
  EXPECT_EQ(::waitpid(parent, nullptr, 0), parent);
}

TEST(ParentTie, AParentDoesNotWaitForAChildThatHasEnded) {
  auto tie = ParentTie::Make();
  ASSERT_OK(tie.status());
  const pid_t child = ::fork();
  if (child == 0) {
    ::_exit(0);
  }
  tie->Confirm();
  EXPECT_EQ(::waitpid(child, nullptr, 0), child);
}

}  // namespace
}  // namespace hearth
