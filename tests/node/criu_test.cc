// CRIU itself, through its socket: a process is captured, killed and restored on this machine.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>

#include "agent/criu/failure.h"
#include "agent/criu/worker.h"
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
  Status Dump(const DumpRequest& request) {
    auto worker = Worker::Start(program_);
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
