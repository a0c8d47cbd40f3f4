// CRIU itself, through its socket: a process is captured, killed and restored on this machine.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <map>
#include <thread>

#include "agent/criu/failure.h"
#include "agent/criu/worker.h"
#include "agent/receive/page_receiver.h"
#include "base/file_system.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"
#include "node_test.h"
#include "workload_process.h"

namespace hearth::node {
namespace {

using agent::criu::DumpRequest;
using agent::criu::Notice;
using agent::criu::RestoreRequest;
using agent::criu::Worker;
using testing::Contains;
using testing::HasSubstr;

class CriuTest : public NodeTest {
 protected:
  void SetUp() override {
    NodeTest::SetUp();
    if (IsSkipped()) {
      return;
    }
    std::filesystem::create_directory(directory_ / "images");
    images_ = UniqueFd(::open((directory_ / "images").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  void TearDown() override {
    if (pid_ > 0) {
      KillWorkload(pid_);
    }
  }

  std::string Log(const std::string& name) {
    return RealFileSystem().Read(directory_ / ("images/" + name), 64 << 20).value_or("");
  }
  void StartWorkload() {
    ASSERT_OK_AND_ASSIGN(pid_, node::StartWorkload(socket_, 16, 8, directory_ / "workload.log"));
    ASSERT_OK_AND_ASSIGN(before_, AskWorkload(socket_));
  }
  DumpRequest Dumping() {
    DumpRequest request;
    request.settings.manage_cgroups = "ignore";
    request.settings.leave_running = false;
    request.pid = pid_;
    request.images_fd = images_.get();
    request.root = "/";
    return request;
  }
  Status Dump(const DumpRequest& request, const std::vector<int>& inherited = {}) {
    auto worker = Worker::Start(program_, inherited);
    RETURN_IF_ERROR(worker.status());
    return worker->Dump(
        request,
        [this](const Notice& notice) {
          notices_.emplace_back(notice.script);
          return Status::Ok();
        },
        Enough());
  }
  Result<int> Restore() {
    RestoreRequest request;
    request.settings.manage_cgroups = "ignore";
    request.images_fd = images_.get();
    ASSIGN_OR_RETURN(Worker worker, Worker::Start(program_));
    return worker.Restore(
        request,
        [this](const Notice& notice) {
          notices_.emplace_back(notice.script);
          return Status::Ok();
        },
        Enough());
  }

  TempDirectory directory_;
  std::string socket_ = directory_ / "api.sock";
  UniqueFd images_;
  int pid_ = 0;
  Spoken before_;
  std::vector<std::string> notices_;
};

TEST_F(CriuTest, TellsAVersionThatWorksHere) {
  ASSERT_OK_AND_ASSIGN(Worker worker, Worker::Start(program_));
  ASSERT_OK_AND_ASSIGN(const auto version, worker.AskVersion(Enough()));
  EXPECT_GE(version, (agent::criu::Version{4, 2, 0, ""})) << version.text;
}

TEST_F(CriuTest, AProcessTreeComesBackAsItWas) {
  StartWorkload();
  const Status dumped = Dump(Dumping());
  ASSERT_TRUE(dumped.ok()) << dumped.ToString() << Log("dump.log");
  EXPECT_THAT(notices_, Contains("post-dump"));
  KillWorkload(pid_);
  auto restored = Restore();
  ASSERT_TRUE(restored.ok()) << restored.status().ToString() << Log("restore.log");
  EXPECT_EQ(*restored, pid_);
  EXPECT_THAT(notices_, Contains("post-resume"));
  ASSERT_OK_AND_ASSIGN(const Spoken after, AskWorkload(socket_));
  EXPECT_EQ(after.token, before_.token);
  EXPECT_EQ(after.memory_hash, before_.memory_hash);
  EXPECT_EQ(after.requests, before_.requests + 1);
  EXPECT_GE(after.child_count, before_.child_count);
  EXPECT_EQ(after.threads, 8U);
}

// A CRIU that outlives whoever started it is found by its environment, over which it would write a
// title: see FindProgram.
TEST_F(CriuTest, KeepsItsEnvironmentWhileItWorks) {
  StartWorkload();
  program_.env.emplace_back("HEARTH_JOB", "1f");
  auto worker = Worker::Start(program_, {});
  ASSERT_OK(worker.status());
  int asked = 0;
  const auto at_notice = [&](const Notice&) {
    const std::string environ = "/proc/" + std::to_string(worker->pid()) + "/environ";
    EXPECT_THAT(RealFileSystem().Read(environ, 1 << 20).value_or(""), HasSubstr("HEARTH_JOB=1f"));
    ++asked;
    return Status::Ok();
  };
  ASSERT_OK(worker->Dump(Dumping(), at_notice, Enough()));
  EXPECT_GT(asked, 0);
}

// Names and bytes of the images that tell of pages and hold them.
std::map<std::string, std::string> PageImages(const std::string& directory) {
  std::map<std::string, std::string> images;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("pages-") || name.starts_with("pagemap-")) {
      images[name] = *RealFileSystem().Read(entry.path(), 256 << 20);
    }
  }
  return images;
}

// The kernel writes the number of the CPU into memory of each thread; on one CPU it stays the same.
class OnOneCpu {
 public:
  OnOneCpu() {
    ::sched_getaffinity(0, sizeof(before_), &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int cpu = 0; CPU_COUNT(&one) == 0; ++cpu) {
      if (CPU_ISSET(cpu, &before_)) {
        CPU_SET(cpu, &one);
      }
    }
    ::sched_setaffinity(0, sizeof(one), &one);
  }
  ~OnOneCpu() { ::sched_setaffinity(0, sizeof(before_), &before_); }
  OnOneCpu(const OnOneCpu&) = delete;
  OnOneCpu& operator=(const OnOneCpu&) = delete;

 private:
  cpu_set_t before_{};
};

// Nothing of a process that is stopped changes between two captures.
void StopAll(int session) {
  ASSERT_EQ(::kill(-session, SIGSTOP), 0);
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string pid = entry.path().filename();
    if (std::atoi(pid.c_str()) <= 0 || ::getpgid(std::atoi(pid.c_str())) != session) {
      continue;
    }
    std::string stat;
    while (stat.find(") T") == std::string::npos) {
      ASSERT_OK_AND_ASSIGN(stat, RealFileSystem().Read(entry.path() / "stat", 4096));
      std::this_thread::yield();
    }
  }
}

TEST_F(CriuTest, PagesThatAreReceivedAreThoseThatCriuWrites) {
  const OnOneCpu on_one_cpu;
  StartWorkload();
  StopAll(pid_);
  DumpRequest request = Dumping();
  request.settings.leave_running = true;
  const Status written = Dump(request);
  ASSERT_TRUE(written.ok()) << written.ToString() << Log("dump.log");
  std::filesystem::create_directory(directory_ / "received");
  const UniqueFd received(
      ::open((directory_ / "received").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  ASSERT_OK_AND_ASSIGN(
      const auto receiver,
      agent::receive::PageReceiver::Begin(received.get(), agent::receive::MakeDirectStore({})));
  request.images_fd = received.get();
  request.pages_fd = receiver->criu_end();
  ASSERT_OK(Dump(request, {request.pages_fd}));
  ASSERT_OK_AND_ASSIGN(const auto stored, receiver->Finish());
  EXPECT_EQ(::kill(-pid_, SIGCONT), 0);
  const auto expected = PageImages(directory_ / "images");
  const auto images = PageImages(directory_ / "received");
  ASSERT_GE(expected.size(), 6U) << "of two processes and shared memory";
  ASSERT_EQ(images.size(), expected.size());
  for (const auto& [name, bytes] : expected) {
    EXPECT_TRUE(images.contains(name) && images.at(name) == bytes) << name;
  }
}

TEST_F(CriuTest, WhoCannotStoreThePagesLeavesTheProcessRunning) {
  StartWorkload();
  std::filesystem::create_directory(directory_ / "images/pages-1.img");
  ASSERT_OK_AND_ASSIGN(
      const auto receiver,
      agent::receive::PageReceiver::Begin(images_.get(), agent::receive::MakeDirectStore({})));
  DumpRequest request = Dumping();
  request.pages_fd = receiver->criu_end();
  const Status dumped = Dump(request, {request.pages_fd});
  EXPECT_EQ(dumped.reason(), agent::criu::kCriuFailed) << dumped.ToString();
  EXPECT_THAT(receiver->Cause().ToString(), HasSubstr("pages-1.img"));
  EXPECT_OK(AskWorkload(socket_).status());
}

TEST_F(CriuTest, LeavesTheProcessRunningWhenAsked) {
  StartWorkload();
  DumpRequest request = Dumping();
  request.settings.leave_running = true;
  const Status dumped = Dump(request);
  ASSERT_TRUE(dumped.ok()) << dumped.ToString() << Log("dump.log");
  ASSERT_OK_AND_ASSIGN(const Spoken after, AskWorkload(socket_));
  EXPECT_EQ(after.requests, before_.requests + 1);
}

TEST_F(CriuTest, WhyItFailedIsInItsLog) {
  StartWorkload();
  DumpRequest request = Dumping();
  request.settings.leave_running = true;
  ASSERT_OK(Dump(request));
  EXPECT_FALSE(Restore().ok()) << "the process is there already";
  const agent::criu::Failure failure = agent::criu::ExplainLog(Log("restore.log"));
  EXPECT_EQ(failure.reason, "PidTaken") << agent::criu::Describe(failure);
  EXPECT_THAT(failure.cause, HasSubstr(std::to_string(pid_)));
  EXPECT_OK(AskWorkload(socket_).status());
}

TEST_F(CriuTest, ARefusalSaysSoAndHarmsNobody) {
  StartWorkload();
  DumpRequest request = Dumping();
  request.pid = 999'999'9;
  const Status status = Dump(request);
  EXPECT_EQ(status.reason(), agent::criu::kCriuFailed);
  EXPECT_THAT(status.ToString(), HasSubstr("could not capture process 9999999"));
  EXPECT_OK(AskWorkload(socket_).status());
}

TEST_F(CriuTest, AStepThatIsRefusedUndoesTheCapture) {
  StartWorkload();
  ASSERT_OK_AND_ASSIGN(Worker worker, Worker::Start(program_));
  const Status status = worker.Dump(
      Dumping(),
      [](const Notice& notice) {
        return notice.script == "network-lock" || notice.script == "post-dump"
                   ? UnavailableError("storage is full")
                   : Status::Ok();
      },
      Enough());
  EXPECT_THAT(status.ToString(), HasSubstr("storage is full"));
  EXPECT_OK(AskWorkload(socket_).status());  // runs on
}

TEST_F(CriuTest, WithoutImagesNothingIsRestored) {
  const auto restored = Restore();
  EXPECT_EQ(restored.status().reason(), agent::criu::kCriuFailed);
}

TEST_F(CriuTest, ADeadCriuIsToldAsSuch) {
  ASSERT_OK_AND_ASSIGN(Worker worker, Worker::Start(program_));
  ::kill(worker.pid(), SIGKILL);
  const auto version = worker.AskVersion(Enough());
  EXPECT_EQ(version.status().code(), Code::kUnavailable) << version.status().ToString();
  EXPECT_THAT(version.status().ToString(), HasSubstr("signal 9"));
}

TEST_F(CriuTest, IsCutShortWhenTheTimeIsOver) {
  StartWorkload();
  ASSERT_OK_AND_ASSIGN(Worker worker, Worker::Start(program_));
  std::stop_source stop;
  const Status status = worker.Dump(
      Dumping(),
      [&](const Notice&) {
        stop.request_stop();
        return Status::Ok();
      },
      WaitLimit{.stop = stop.get_token()});
  EXPECT_EQ(status.code(), Code::kCancelled) << status.ToString();
}

TEST(CriuProgram, MustBeThere) {
  EXPECT_CODE(Code::kNotFound, agent::criu::FindProgram("/no/such/place"));
}

}  // namespace
}  // namespace hearth::node
