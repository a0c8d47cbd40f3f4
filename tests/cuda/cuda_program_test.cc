// Everything that is asked of the driver, asked through the program, without a GPU.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "agent/cuda/job_file.h"
#include "agent/cuda/sequence.h"
#include "base/file_system.h"
#include "base/testing/status_matchers.h"
#include "simulated_device.h"

namespace hearth::cuda {
namespace {

using agent::cuda::Sequence;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class CudaProgramTest : public testing::Test {
 protected:
  CudaProgramTest() {
    device_.Add(11);
    device_.Add(12);
  }
  Status Checkpoint(std::stop_token stop = {}) {
    return sequence_.Checkpoint({11, 12}, {SteadyTime::max(), std::move(stop)});
  }
  Status Restore(const agent::cuda::DeviceMap& map = {}) {
    return sequence_.Restore({11, 12}, map, WaitLimit::Forever());
  }

  SimulatedDevice device_;
  std::unique_ptr<agent::cuda::CudaCheckpoint> driver_ = device_.Driver();
  Sequence sequence_{*driver_, RealClock()};
};

// A88: all are locked, then all are checkpointed.
TEST_F(CudaProgramTest, ThereAndBack) {
  ASSERT_OK(Checkpoint());
  EXPECT_EQ(device_.StateOf(11), "checkpointed");
  EXPECT_EQ(device_.StateOf(12), "checkpointed");
  ASSERT_OK(Restore({{"GPU-a", "GPU-b"}}));
  EXPECT_EQ(device_.StateOf(11), "running");
  EXPECT_EQ(device_.StateOf(12), "running");
  EXPECT_EQ(device_.DevicesOf(11), "GPU-a=GPU-b");
  EXPECT_THAT(device_.Actions(), ElementsAre("lock 11", "lock 12", "checkpoint 11", "checkpoint 12",
                                             "restore 11", "restore 12", "unlock 11", "unlock 12"));
}

TEST_F(CudaProgramTest, WithoutMovesNoMapIsGiven) {
  ASSERT_OK(Checkpoint());
  ASSERT_OK(Restore());
  EXPECT_EQ(device_.DevicesOf(12), "");
}

TEST_F(CudaProgramTest, WhateverFailsAllRunAgain) {
  for (const char* const step : {"lock 11", "lock 12", "checkpoint 11", "checkpoint 12"}) {
    device_.Fail(step);
    const Status status = Checkpoint();
    EXPECT_FALSE(status.ok()) << step;
    EXPECT_THAT(status.ToString(), HasSubstr("told to fail"));
    EXPECT_NE(status.reason(), agent::cuda::kNotReleased);
    EXPECT_EQ(device_.StateOf(11), "running") << step;
    EXPECT_EQ(device_.StateOf(12), "running") << step;
    device_.Recover();
  }
}

TEST_F(CudaProgramTest, OneThatIsLostIsNamedAndTheOthersRunAgain) {
  device_.Fail("checkpoint 12 failed");
  const Status status = Checkpoint();
  EXPECT_EQ(status.reason(), agent::cuda::kNotReleased);
  EXPECT_THAT(status.ToString(), HasSubstr("process 12 has failed"));
  EXPECT_EQ(device_.StateOf(11), "running");
}

TEST_F(CudaProgramTest, OneThatCannotBeUnlockedIsNamedAndTheOthersRunAgain) {
  device_.Fail("checkpoint 11");
  device_.Fail("unlock 12");
  const Status status = Checkpoint();
  EXPECT_EQ(status.reason(), agent::cuda::kNotReleased);
  EXPECT_THAT(status.ToString(), HasSubstr("unlock of process 12"));
  EXPECT_EQ(device_.StateOf(11), "running");
  EXPECT_EQ(device_.StateOf(12), "locked");
}

// A88: a program that hangs ends when the caller gives up, and what it held is let go.
TEST_F(CudaProgramTest, GivingUpEndsAProgramThatHangs) {
  device_.Hang("checkpoint 12");
  std::stop_source stop;
  std::jthread giving_up([&] {
    while (!device_.Hanging()) {
      std::this_thread::yield();
    }
    stop.request_stop();
  });
  EXPECT_CODE(Code::kCancelled, Checkpoint(stop.get_token()));
  EXPECT_EQ(device_.StateOf(11), "running");
  EXPECT_EQ(device_.StateOf(12), "running");
}

TEST_F(CudaProgramTest, ALimitThatIsOverBeginsNothing) {
  EXPECT_CODE(Code::kDeadlineExceeded,
              sequence_.Checkpoint({11, 12}, WaitLimit::For(RealClock(), Duration(0))));
  EXPECT_THAT(device_.Actions(), IsEmpty());
}

TEST_F(CudaProgramTest, UnlockingWhoRunsIsFine) {
  ASSERT_OK(Checkpoint());
  device_.Fail("unlock 12 running");
  EXPECT_OK(Restore());
  device_.Recover();
  EXPECT_OK(sequence_.Release({11, 12}));
  EXPECT_THAT(device_.Actions(), IsEmpty()) << "both run already";
}

TEST_F(CudaProgramTest, ARestoreThatFailsTellsTheProcess) {
  ASSERT_OK(Checkpoint());
  device_.Fail("restore 12");
  EXPECT_THAT(Restore().ToString(), HasSubstr("restore of process 12"));
  EXPECT_EQ(device_.StateOf(11), "locked") << "none runs before all are restored";
}

TEST_F(CudaProgramTest, ACaptureThatNobodyFinishedIsReleased) {
  device_.Add(11, "checkpointed");
  device_.Add(12, "locked");
  // The third is gone.
  EXPECT_OK(sequence_.Release({11, 12, 13}));
  EXPECT_EQ(device_.StateOf(11), "running");
  EXPECT_EQ(device_.StateOf(12), "running");
}

TEST_F(CudaProgramTest, LanesKeepThePhasesApart) {
  for (int pid = 13; pid < 19; ++pid) {
    device_.Add(pid);
  }
  Sequence wide(*driver_, RealClock(), {.lanes = 4});
  ASSERT_OK(wide.Checkpoint({11, 12, 13, 14, 15, 16, 17, 18}, WaitLimit::Forever()));
  const auto actions = device_.Actions();
  ASSERT_EQ(actions.size(), 16U);
  for (size_t i = 0; i < actions.size(); ++i) {
    EXPECT_THAT(actions[i], HasSubstr(i < 8 ? "lock" : "checkpoint"));
  }
}

// A88: the program has the job file as option and in its environment; what it makes of it is saved.
TEST_F(CudaProgramTest, TheJobFileGoesToTheProgramAndIsSavedAfterTheLast) {
  const TempDirectory container;
  const TempDirectory artifact;
  const std::string job = container / "cuda-checkpoint-job";
  std::ofstream(job) << "job\n";
  const auto driver = device_.Driver(job);
  ASSERT_OK(Sequence(*driver, RealClock()).Checkpoint({11, 12}, WaitLimit::Forever()));
  const UniqueFd saved(::open(artifact.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  ASSERT_OK_AND_ASSIGN(const auto control, agent::ControlDirectory::Open(container.path(), "/"));
  ASSERT_OK(agent::cuda::SaveJobFile(control, saved.get(), 2).status());
  EXPECT_EQ(*RealFileSystem().Read(artifact / "cuda-checkpoint-job", 1000),
            "job\nlock 11\nlock 12\ncheckpoint 11\ncheckpoint 12\n");
}

TEST_F(CudaProgramTest, AskedAreOnlyThoseThatHaveTheLibrary) {
  // Ourselves, before and after we have something mapped that is called like the library.
  const agent::ProcReader proc;
  ASSERT_OK_AND_ASSIGN(const auto self, proc.Process(::getpid()));
  device_.Add(self.pid);
  EXPECT_THAT(*sequence_.FindProcesses(proc, {self}, WaitLimit::Forever()), IsEmpty());
  const TempDirectory directory;
  const std::string library = directory / "libcuda.so.1";
  std::ofstream(library) << "not really";
  const UniqueFd file(::open(library.c_str(), O_RDONLY | O_CLOEXEC));
  void* const mapped = ::mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, file.get(), 0);
  ASSERT_NE(mapped, MAP_FAILED);
  EXPECT_THAT(*sequence_.FindProcesses(proc, {self}, WaitLimit::Forever()), ElementsAre(self.pid));
  device_.Remove(self.pid);
  EXPECT_THAT(*sequence_.FindProcesses(proc, {self}, WaitLimit::Forever()), IsEmpty())
      << "it has the library and does not use it";
  // Whoever may use CUDA is not captured as if it did not.
  const auto nobody = agent::cuda::MakeCudaCheckpointProgram({.program = "no-such-cuda-checkpoint"},
                                                             RealProcessRunner(), RealClock());
  const auto unasked =
      Sequence(*nobody, RealClock()).FindProcesses(proc, {self}, WaitLimit::Forever());
  EXPECT_EQ(unasked.status().code(), Code::kUnsupported);
  EXPECT_THAT(unasked.status().ToString(), HasSubstr("not installed"));
  ::munmap(mapped, 4096);
}

}  // namespace
}  // namespace hearth::cuda
