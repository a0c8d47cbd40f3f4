#include "agent/cuda/cuda_checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/file_system.h"
#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"

namespace hearth::agent::cuda {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::StartsWith;

class Scripted : public ProcessRunner {
 public:
  Result<ProcessOutcome> Run(const ProcessSpec& spec, const WaitLimit&) override {
    asked = spec;
    for (size_t i = 1; i < spec.argv.size(); ++i) {
      if (spec.argv[i - 1] == "--job-file") {
        seen = RealFileSystem().Read(spec.argv[i], 100).value_or("");
      }
    }
    return outcome;
  }
  std::string seen;  // of the job file
  ProcessSpec asked;
  ProcessOutcome outcome;
};

class CudaCheckpointTest : public testing::Test {
 protected:
  std::unique_ptr<CudaCheckpoint> Make(std::string job_file = "") {
    return MakeCudaCheckpointProgram({.program = "cc", .job_file = std::move(job_file)}, runner_,
                                     RealClock());
  }
  WaitLimit forever_;
  Scripted runner_;
};

TEST_F(CudaCheckpointTest, SpeaksTheProgramsLanguage) {
  ASSERT_OK(Make()->Lock(7, std::chrono::seconds(3), forever_));
  EXPECT_THAT(runner_.asked.argv,
              ElementsAre("cc", "--action", "lock", "--timeout", "3000", "--pid", "7"));
  ASSERT_OK(Make()->Restore(7, {{"a", "b"}, {"c", "d"}}, forever_));
  EXPECT_THAT(runner_.asked.argv,
              ElementsAre("cc", "--action", "restore", "--device-map", "a=b,c=d", "--pid", "7"));
  ASSERT_OK(Make()->Restore(7, {}, forever_));
  EXPECT_THAT(runner_.asked.argv, ElementsAre("cc", "--action", "restore", "--pid", "7"));
  ASSERT_OK(Make("/j")->Checkpoint(7, forever_));
  EXPECT_THAT(runner_.asked.argv,
              ElementsAre("cc", "--action", "checkpoint", "--job-file", "/j", "--pid", "7"));
  EXPECT_THAT(runner_.asked.env, Contains(Pair("CUDA_CHECKPOINT_JOB_FILE", "/j")));
}

// A88: as nodes give it, held open so that the container cannot put another one in its place.
TEST_F(CudaCheckpointTest, GetsTheJobFileOfTheProcesssContainer) {
  const TempDirectory proc;
  const std::string control = proc / "7/root/snapshot-control";
  std::filesystem::create_directories(control);
  const auto driver =
      MakeCudaCheckpointProgram({.program = "cc", .proc = proc.path()}, runner_, RealClock());
  ASSERT_OK(driver->Checkpoint(7, forever_));
  EXPECT_THAT(runner_.asked.argv, ElementsAre("cc", "--action", "checkpoint", "--pid", "7"));
  std::ofstream(control + "/cuda-checkpoint-job") << "state";
  ASSERT_OK(driver->Restore(7, {}, forever_));
  ASSERT_EQ(runner_.asked.argv.size(), 7U);
  EXPECT_EQ(runner_.asked.argv[3], "--job-file");
  EXPECT_THAT(runner_.asked.argv[4], StartsWith("/proc/" + std::to_string(::getpid()) + "/fd/"));
  EXPECT_EQ(runner_.seen, "state");
  EXPECT_THAT(runner_.asked.env, Contains(Pair("CUDA_CHECKPOINT_JOB_FILE", runner_.asked.argv[4])));
  std::filesystem::remove(control + "/cuda-checkpoint-job");
  std::filesystem::create_symlink("/etc/passwd", control + "/cuda-checkpoint-job");
  EXPECT_CODE(Code::kPermissionDenied, driver->Unlock(7, forever_));
}

TEST_F(CudaCheckpointTest, KnowsTheStates) {
  for (const State state :
       {State::kRunning, State::kLocked, State::kCheckpointed, State::kFailed, State::kUnknown}) {
    runner_.outcome.output = std::string(StateName(state)) + "\n";
    EXPECT_EQ(*Make()->StateOf(7, forever_), state);
  }
  runner_.outcome.output = "sleeping\n";
  EXPECT_EQ(*Make()->StateOf(7, forever_), State::kUnknown);
}

TEST_F(CudaCheckpointTest, TellsWhoDoesNotUseCuda) {
  runner_.outcome.output = "12\n";
  EXPECT_EQ(*Make()->RestoreThread(7, forever_), 12);
  for (const char* const text : {"", "x", "12 13", "-1", "99999999999"}) {
    runner_.outcome.output = text;
    EXPECT_CODE(Code::kInternal, Make()->RestoreThread(7, forever_));
  }
  runner_.outcome = {.exit_code = 1, .errors = "not initialized"};
  EXPECT_CODE(Code::kNotFound, Make()->RestoreThread(7, forever_));
  runner_.outcome = {.signal = 11};
  EXPECT_CODE(Code::kInternal, Make()->RestoreThread(7, forever_));
}

TEST_F(CudaCheckpointTest, FailuresNameProcessStepAndWords) {
  runner_.outcome = {.exit_code = 1, .errors = "out of memory\n"};
  const std::string text = Make()->Checkpoint(7, forever_).ToString();
  EXPECT_THAT(text, HasSubstr("checkpoint of process 7"));
  EXPECT_THAT(text, HasSubstr("out of memory"));
  runner_.outcome = {.signal = 9};
  EXPECT_THAT(Make()->Unlock(7, forever_).ToString(), HasSubstr("signal 9"));
  EXPECT_CODE(Code::kInvalid, Make()->Unlock(0, forever_));
}

}  // namespace
}  // namespace hearth::agent::cuda
