#include "agent/host/process_facts.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>

#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"

namespace hearth::agent {
namespace {

using testing::ElementsAre;
using testing::Field;

TEST(ProcessStatus, IsReadByItsNames) {
  ASSERT_OK_AND_ASSIGN(
      const ProcessFacts facts,
      ParseProcessStatus("Name:\tmy: odd name\nUmask:\t0022\nState:\tZ (zombie)\nTgid:\t9\n"
                         "Pid:\t4711\nPPid:\t12\nUid:\t1\t2\t3\t4294967294\n"
                         "Gid:\t5\t6\t7\t8\nNSpid:\t4711\t33\t1\n"
                         "RssAnon:\t     520 kB\nRssShmem:\t 8 kB\n"
                         "CapBnd:\t000000a0000425fb\nNoNewPrivs:\t1\n"));
  EXPECT_EQ(facts.pid, 4711);
  EXPECT_EQ(facts.parent, 12);
  EXPECT_EQ(facts.name, "my: odd name");
  EXPECT_TRUE(facts.IsZombie());
  EXPECT_THAT(facts.ns_pids, ElementsAre(4711, 33, 1));
  // A81: who it acts as on files, not who it is.
  EXPECT_EQ(facts.file_user, 4294967294U);
  EXPECT_EQ(facts.file_group, 8U);
  EXPECT_EQ(facts.own_bytes, 520U << 10U);
  EXPECT_EQ(facts.shared_bytes, 8U << 10U);
  EXPECT_EQ(facts.most_capabilities, 0xa0000425fbU);
  EXPECT_TRUE(facts.no_new_privileges);
}

TEST(ProcessStatus, WithoutAPidIsNone) {
  EXPECT_CODE(Code::kInvalid, ParseProcessStatus(""));
  EXPECT_CODE(Code::kInvalid, ParseProcessStatus("Name: 7\nPid: x\n"));
}

TEST(ProcessStat, TellsTheStartWhateverTheNameIs) {
  EXPECT_EQ(ParseStartTicks("7 (a) b) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4711 0 0\n"),
            4711U);
  EXPECT_EQ(ParseStartTicks("7 (a) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 x 0\n"),
            std::nullopt);
  EXPECT_EQ(ParseStartTicks("7 (a) S 1 2 3\n"), std::nullopt);
  EXPECT_EQ(ParseStartTicks("7 (a)"), std::nullopt);
  EXPECT_EQ(ParseStartTicks(""), std::nullopt);
}

TEST(ProcReader, KnowsHowOldAProcessIs) {
  const ProcReader proc;
  ASSERT_OK_AND_ASSIGN(const Duration self, proc.Age(::getpid()));
  ASSERT_OK_AND_ASSIGN(const Duration first, proc.Age(1));
  EXPECT_GT(self, Duration::zero());
  EXPECT_LE(self, first + std::chrono::seconds(1));
  EXPECT_CODE(Code::kNotFound, proc.Age(0x3fffffff));
}

TEST(ProcReader, KnowsThisProcess) {
  const ProcReader proc;
  ASSERT_OK_AND_ASSIGN(const ProcessFacts self, proc.Process(::getpid()));
  EXPECT_EQ(self.parent, ::getppid());
  EXPECT_FALSE(self.IsZombie());
  EXPECT_OK(proc.MountInfo(::getpid()).status());
  ASSERT_OK_AND_ASSIGN(const uint64_t inode, proc.NamespaceInode(::getpid(), "net"));
  struct stat info {};
  ASSERT_EQ(::stat("/proc/self/ns/net", &info), 0);
  EXPECT_EQ(inode, info.st_ino);
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  EXPECT_THAT(*proc.DescriptorTarget(::getpid(), ends[0]), testing::StartsWith("pipe:["));
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(ProcReader, KnowsWhatIsMapped) {
  const ProcReader proc;
  EXPECT_TRUE(*proc.HasMapped(::getpid(), "/agent_host_test"));
  EXPECT_FALSE(*proc.HasMapped(::getpid(), "/libcuda.so"));
  EXPECT_CODE(Code::kNotFound, proc.HasMapped(0x7fffffff, "x"));
}

TEST(ProcReader, KnowsWhoDescends) {
  // A child with a child: the first tells over a pipe when both are there, and both end with it.
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const pid_t grandchild = ::fork();
    if (grandchild == 0) {
      ::pause();
    }
    (void)!::write(ends[1], &grandchild, sizeof(grandchild));
    ::pause();
    ::_exit(0);
  }
  pid_t grandchild = 0;
  ASSERT_EQ(::read(ends[0], &grandchild, sizeof(grandchild)), ssize_t{sizeof(grandchild)});
  const auto tree = ProcReader().Tree(child);
  ::kill(grandchild, SIGKILL);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(ends[0]);
  ::close(ends[1]);
  ASSERT_OK(tree.status());
  EXPECT_THAT(*tree,
              ElementsAre(Field(&ProcessFacts::pid, child), Field(&ProcessFacts::pid, grandchild)));
}

TEST(ProcReader, SaysWhenAProcessIsGone) {
  const ProcReader proc;
  EXPECT_CODE(Code::kNotFound, proc.Process(0x7ffffff0));
  EXPECT_CODE(Code::kNotFound, proc.Tree(0x7ffffff0));
  EXPECT_CODE(Code::kNotFound, proc.DescriptorTarget(0x7ffffff0, 0));
  EXPECT_CODE(Code::kNotFound, proc.NamespaceInode(0x7ffffff0, "net"));
}

// Its file can still be opened then, and reading fails. So it does with a directory.
TEST(ProcReader, SaysWhenAProcessEndsWhileItIsRead) {
  const TempDirectory directory;
  std::filesystem::create_directories(directory / "7/status");
  EXPECT_CODE(Code::kNotFound, ProcReader(directory.path()).Process(7));
}

}  // namespace
}  // namespace hearth::agent
