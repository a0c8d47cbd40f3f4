#include "snapshot/ctl/internal/lint_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/file_system.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"

namespace hearth::snapshot::ctl {
namespace {

using testing::IsEmpty;
using Verdict = Judgement::Verdict;

// A proc file system of one process and its child.
class LintTest : public testing::Test {
 protected:
  void SetUp() override {
    AddProcess(10, "engine", "10 1");
    AddProcess(11, "child", "11 2");
    Write("10/task/10/children", "11 ");
    Write(
        "10/net/tcp",
        "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  "
        "timeout inode\n"
        "   0: 0100007F:1F40 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        "
        "0 700 1 0 100 0 0 10 0\n"
        "   1: 0400000A:A028 0900000A:107E 01 00000000:00000000 00:00000000 00000000     0        "
        "0 701 1 0 20 4 30 10 -1\n"
        "   2: 0100007F:A029 0100007F:1F40 01 00000000:00000000 00:00000000 00000000     0        "
        "0 702 1 0 20 4 30 10 -1\n");
    Write("10/net/unix",
          "Num       RefCount Protocol Flags    Type St Inode Path\n"
          "0000000000000000: 00000002 00000000 00010000 0001 01 703 /run/engine.sock\n");
  }
  void Write(const std::string& path, const std::string& text) {
    const std::filesystem::path full = proc_ / path;
    std::filesystem::create_directories(full.parent_path());
    ASSERT_OK(RealFileSystem().Write(full, text, 0600));
  }
  void AddProcess(int pid, const std::string& name, const std::string& ns_pids) {
    const std::string folder = std::to_string(pid);
    Write(folder + "/status", "Name:\t" + name + "\nState:\tS (sleeping)\nTgid:\t" + folder +
                                  "\nPid:\t" + folder + "\nPPid:\t1\nTracerPid:\t0\nNSpid:\t" +
                                  ns_pids + "\nThreads:\t4\n");
    Write(folder + "/smaps_rollup",
          "Rss:  9000 kB\nAnonymous:   2048 kB\nPss_Shmem:  1024 kB\nPrivate_Hugetlb: 0 kB\n");
    Write(folder + "/task/" + folder + "/children", "");
    std::filesystem::create_directories(proc_ / (folder + "/fd"));
    Descriptor(pid, 1, "pipe:[5]");
    Descriptor(pid, 2, "pipe:[5]");
  }
  void Descriptor(int pid, int fd, const std::string& target) {
    const std::string link = proc_ / (std::to_string(pid) + "/fd/" + std::to_string(fd));
    std::filesystem::remove(link);
    std::filesystem::create_symlink(target, link);
  }
  std::vector<Judgement> Lint() {
    const auto survey = SurveyProcesses(RealFileSystem(), proc_.path(), 10);
    EXPECT_TRUE(survey.ok()) << survey.status();
    return JudgeCapture(*survey, {});
  }
  // The worst finding, as "bad io_uring".
  std::string Worst() {
    const std::vector<Judgement> found = Lint();
    return found.empty() ? "" : std::string(VerdictName(found[0].verdict)) + " " + found[0].what;
  }

  TempDirectory proc_;
};

TEST_F(LintTest, NothingIsInTheWayOfAnOrdinaryProgram) {
  Descriptor(10, 3, "socket:[700]");
  Descriptor(10, 4, "socket:[702]");
  Descriptor(10, 5, "socket:[703]");
  Descriptor(10, 6, "/tmp/file");
  Descriptor(10, 7, "/dev/null");
  Descriptor(10, 8, "anon_inode:[eventpoll]");
  EXPECT_THAT(Lint(), IsEmpty());
}

TEST_F(LintTest, WhatCannotBeCapturedIsNamedWithItsOwner) {
  Descriptor(11, 9, "anon_inode:[io_uring]");
  ASSERT_EQ(Worst(), "bad io_uring");
  EXPECT_EQ(Lint()[0].found, "process 11 (child), descriptor 9");
  Descriptor(11, 9, "socket:[999]");
  EXPECT_EQ(Worst(), "bad socket of another kind");
  Descriptor(11, 9, "/dev/infiniband/uverbs0");
  EXPECT_EQ(Worst(), "bad RDMA device");
  Descriptor(11, 9, "/dev/loop0");
  EXPECT_EQ(Worst(), "bad device");
  Descriptor(11, 9, "/dev/nvidia0");
  EXPECT_EQ(Worst(), "warning GPU");
}

TEST_F(LintTest, WhatMayNotWorkIsAWarning) {
  Descriptor(10, 3, "socket:[701]");
  EXPECT_EQ(Worst(), "warning connection to outside");
  Descriptor(10, 3, "/tmp/file");
  Descriptor(10, 1, "/dev/pts/0");
  EXPECT_EQ(Worst(), "warning standard output");
}

TEST_F(LintTest, ProcessesThemselvesCanBeInTheWay) {
  AddProcess(11, "child", "11 2 1");
  EXPECT_EQ(Worst(), "bad nested pid namespace");
  AddProcess(11, "child", "11 2");
  Write("11/status",
        "Name:\tchild\nState:\tt (tracing stop)\nPid:\t11\nPPid:\t10\nTracerPid:\t99\nNSpid:\t11 "
        "2\n");
  EXPECT_EQ(Worst(), "bad debugger");
}

TEST_F(LintTest, ADeletedFileMayBeTooLarge) {
  Survey survey = SurveyProcesses(RealFileSystem(), proc_.path(), 10).value();
  survey.processes[0].descriptors = {
      {.fd = 3, .target = "/tmp/a (deleted)", .size_bytes = 1 << 20}};
  EXPECT_THAT(JudgeCapture(survey, {}), IsEmpty());
  EXPECT_EQ(JudgeCapture(survey, {.deleted_file_bytes = 1000}).at(0).what, "deleted file");
  EXPECT_EQ(CostOf(survey, {}).deleted_bytes, 1U << 20U);
}

TEST_F(LintTest, TheCostIsWhatIsResident) {
  const Survey survey = SurveyProcesses(RealFileSystem(), proc_.path(), 10).value();
  const CaptureCost cost = CostOf(survey, {.bytes_per_second = 3 << 20});
  EXPECT_EQ(cost.memory_bytes, 6U << 20U);
  EXPECT_DOUBLE_EQ(cost.seconds, 2.0);
}

}  // namespace
}  // namespace hearth::snapshot::ctl
