#include "agent/host/restored_processes.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <optional>

#include "agent/host/cgroup_directories.h"
#include "base/process_runner.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "base/unique_fd.h"

namespace hearth::agent {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// A proc file system of files.
class RestoredProcessesTest : public testing::Test {
 protected:
  void Add(int pid, const std::string& ns_pids, const std::string& cgroup,
           std::initializer_list<int> children = {}) {
    const std::string directory = proc_ / std::to_string(pid);
    fs::create_directories(directory + "/task/" + std::to_string(pid));
    std::ofstream(directory + "/status") << "Name:\tx\nState:\tS (sleeping)\nPid:\t" << pid
                                         << "\nPPid:\t1\nNSpid:\t" << ns_pids << "\n";
    std::ofstream(directory + "/cgroup") << "0::" << cgroup << "\n";
    std::ofstream list(directory + "/task/" + std::to_string(pid) + "/children");
    for (const int child : children) {
      list << child << " ";
    }
  }
  std::vector<int> Processes(int pid) {
    std::vector<int> pids;
    const auto processes = ContainerProcesses({.proc = proc_.path()}, pid);
    for (const ProcessFacts& process : *processes) {
      pids.push_back(process.pid);
    }
    return pids;
  }

  TempDirectory proc_;
};

TEST_F(RestoredProcessesTest, OfAContainerWithItsOwnAreWhoDescendsFromTheFirst) {
  Add(100, "100\t1", "/pod/a", {101});
  Add(101, "101\t7\t1", "/pod/a", {102});
  Add(102, "102\t8\t2", "/pod/a");
  Add(200, "200\t1\t1", "/pod/a");
  EXPECT_THAT(Processes(100), ElementsAre(100, 101, 102));
  ASSERT_OK_AND_ASSIGN(const auto processes, ContainerProcesses({.proc = proc_.path()}, 100));
  EXPECT_THAT(NestedRoots(processes), ElementsAre(Field(&ProcessFacts::pid, 101)));
}

// W22: the pod's first process is the parent of all that have lost theirs.
TEST_F(RestoredProcessesTest, OfAContainerThatSharesThemAreThoseInItsCgroups) {
  Add(90, "90\t1", "/pod/pause", {101, 300});
  Add(100, "100\t7", "/pod/a");
  Add(101, "101\t9\t1", "/pod/a/below");
  Add(102, "102\t8", "/pod/ab");
  Add(300, "300\t12\t1", "/pod/b");
  EXPECT_THAT(Processes(100), UnorderedElementsAre(100, 101));
  ASSERT_OK_AND_ASSIGN(const auto processes, ContainerProcesses({.proc = proc_.path()}, 100));
  EXPECT_THAT(NestedRoots(processes), ElementsAre(Field(&ProcessFacts::pid, 101)));
}

TEST_F(RestoredProcessesTest, TheMachinesOwnCgroupSaysNothing) {
  Add(100, "100\t7", "/");
  Add(101, "101\t9\t1", "/");
  EXPECT_THAT(Processes(100), ElementsAre(100));
}

// A container is never in the agent's cgroup, nor above it: other pid namespaces there are not its.
TEST_F(RestoredProcessesTest, TheAgentsCgroupSaysNothing) {
  for (const char* const agent : {"/pod/a", "/pod/a/below"}) {
    Add(::getpid(), std::to_string(::getpid()), agent);
    Add(2000100, "2000100\t7", "/pod/a");
    Add(2000101, "2000101\t9\t1", "/pod/a");
    EXPECT_THAT(Processes(2000100), ElementsAre(2000100)) << agent;
  }
}

TEST_F(RestoredProcessesTest, WithoutACgroupThereIsNoMark) {
  Add(100, "100\t1", "/pod/a");
  const TempDirectory cgroups;
  std::ofstream(cgroups / "cgroup.procs") << "";
  const HostPlaces places{.proc = proc_.path(), .cgroups = cgroups.path()};
  EXPECT_FALSE(IsMarkedRestored(places, 100));
  EXPECT_CODE(Code::kUnavailable, MarkRestored(places, 100));
  Add(101, "101\t1", "/");
  EXPECT_CODE(Code::kUnavailable, MarkRestored(places, 101));
}

TEST_F(RestoredProcessesTest, AMarkHasAWordAndTheLastOneCounts) {
  Add(100, "100\t1", "/pod/a");
  const TempDirectory cgroups;
  fs::create_directories(cgroups / "pod/a");
  for (const char* const folder : {"", "pod/a/"}) {
    std::ofstream(cgroups / (std::string(folder) + "cgroup.procs")) << "";
  }
  const HostPlaces places{.proc = proc_.path(), .cgroups = cgroups.path()};
  if (!MarkRestored(places, 100).ok()) {
    GTEST_SKIP() << "trusted attributes cannot be written here";
  }
  EXPECT_EQ(RestoredMark(places, 100), kRestoredHere);
  ASSERT_OK(MarkRestored(places, 100, "complete lark/1"));
  EXPECT_EQ(RestoredMark(places, 100), "complete lark/1");
  EXPECT_TRUE(IsMarkedRestored(places, 100));
}

// A program in a pid namespace of its own, within that of a process or ours; its first process.
class Nested {
 public:
  explicit Nested(int within = 0) {
    std::vector<std::string> argv;
    if (within != 0) {
      argv = {"nsenter", "--pid=/proc/" + std::to_string(within) + "/ns/pid", "--"};
    }
    argv.insert(argv.end(), {"unshare", "--pid", "--fork", "--kill-child", "sh", "-c",
                             "trap '' HUP INT TERM; echo started; sleep 1000"});
    EXPECT_EQ(::mkfifo((directory_ / "fifo").c_str(), 0600), 0);
    const UniqueFd says(::open((directory_ / "fifo").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    EXPECT_EQ(::fcntl(says.get(), F_SETFL, 0), 0);
    auto started = ChildProcess::Start({.argv = argv, .log_path = directory_ / "fifo"});
    char first = 0;
    if (started.ok() && ::read(says.get(), &first, 1) == 1 && first == 's') {
      program_.emplace(*std::move(started));
      pid_ = Innermost(program_->pid());
    }
  }
  // 0: this machine has no pid namespaces for us.
  int pid() const { return pid_; }
  bool HasEnded() const {
    const auto facts = ProcReader().Process(pid_);
    return !facts.ok() || facts->IsZombie();
  }

 private:
  static int Innermost(int program) {
    int innermost = 0;
    for (const ProcessFacts& process :
         ProcReader().Tree(program).value_or(std::vector<ProcessFacts>())) {
      innermost = process.ns_pids.back() == 1 ? process.pid : innermost;
    }
    return innermost;
  }

  TempDirectory directory_;
  std::optional<ChildProcess> program_;
  int pid_ = 0;
};

// Who restores is not the container's child, and what he restores is his: as long as he lives, or
// has not quite ended, the container's first process has no children.
TEST(EndRestored, EndsWhatIsNotTheContainersChild) {
  const Nested container;
  const Nested other;
  if (container.pid() == 0 || other.pid() == 0) {
    GTEST_SKIP() << "needs root, for pid namespaces";
  }
  const Nested restored(container.pid());
  const Nested of_other(other.pid());
  ASSERT_NE(restored.pid(), 0);
  ASSERT_OK_AND_ASSIGN(const auto processes, ContainerProcesses({}, container.pid()));
  ASSERT_THAT(NestedRoots(processes), IsEmpty());
  ASSERT_OK(EndRestored({}, container.pid(), WaitLimit::For(RealClock(), std::chrono::minutes(1))));
  EXPECT_TRUE(restored.HasEnded());
  EXPECT_FALSE(container.HasEnded());
  EXPECT_FALSE(other.HasEnded());
  EXPECT_FALSE(of_other.HasEnded());
}

TEST(EndRestored, LeavesPidNamespacesInOurCgroupAlone) {
  const Nested other;
  if (other.pid() == 0) {
    GTEST_SKIP() << "needs root, for pid namespaces";
  }
  const auto container = ChildProcess::Start({.argv = {"sleep", "1000"}});
  ASSERT_OK(container.status());
  ASSERT_OK(
      EndRestored({}, container->pid(), WaitLimit::For(RealClock(), std::chrono::minutes(1))));
  EXPECT_FALSE(other.HasEnded());
}

TEST(CgroupDirectories, AreOfAllHierarchies) {
  const TempDirectory groups;
  for (const char* const folder : {"unified/pod", "cpu,cpuacct/pod", "systemd/pod"}) {
    fs::create_directories(groups / folder);
    std::ofstream(groups / folder + "/cgroup.procs") << "";
  }
  EXPECT_THAT(
      CgroupDirectories("3:cpu,cpuacct:/pod\n2:pids:/pod\n1:name=systemd:/pod\n0::/pod\nbad\n",
                        groups.path()),
      ElementsAre(groups / "cpu,cpuacct/pod", groups / "systemd/pod", groups / "unified/pod"));
  EXPECT_THAT(CgroupDirectories("0::/../pod\n", groups.path()), IsEmpty());
}

}  // namespace
}  // namespace hearth::agent
