#include "snapshot/ctl/internal/restore_progress.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <vector>

#include "base/unique_fd.h"

namespace hearth::snapshot::ctl {
namespace {

constexpr uint64_t kMemory = 16 << 20;
constexpr uint64_t kTotal = uint64_t{1} << 40;

TEST(RestoreProgress, IsTheMemoryOfWhatWasStartedUntilItIsAll) {
  RestoreProgress progress(kTotal);
  const uint64_t before = progress.Look().done_bytes;
  std::array<int, 2> filled{};
  ASSERT_EQ(::pipe(filled.data()), 0);
  const UniqueFd reads(filled[0]);
  const UniqueFd writes(filled[1]);
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const std::vector<char> memory(kMemory, 'x');
    static_cast<void>(::write(writes.get(), memory.data(), 1));
    ::pause();
    ::_exit(0);
  }
  char word = 0;
  ASSERT_EQ(::read(reads.get(), &word, 1), 1);
  const disk::Progress during = progress.Look();
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_GE(during.done_bytes, before + kMemory);
  EXPECT_EQ(during.total_bytes, kTotal);
  EXPECT_EQ(progress.Look().done_bytes, during.done_bytes) << "nothing goes back";
  progress.Finish();
  EXPECT_EQ(progress.Look().done_bytes, kTotal);
}

TEST(RestoreProgress, IsNeverMoreThanAll) {
  RestoreProgress progress(1);
  EXPECT_LE(progress.Look().done_bytes, 1U);
}

}  // namespace
}  // namespace hearth::snapshot::ctl
