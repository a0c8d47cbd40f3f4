#include "agent/cuda/container_gpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/testing/status_matchers.h"
#include "base/testing/temp_directory.h"

namespace hearth::agent::cuda {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kA = "GPU-aaaaaaaa-0000-0000-0000-000000000000";

const char* const kInformation =
    "Model: \t\t NVIDIA A100-SXM4-80GB\nIRQ:   \t\t 210\n"
    "GPU UUID: \t GPU-aaaaaaaa-0000-0000-0000-000000000000\nVideo BIOS: \t 92.00.45.00.03\n"
    "Bus Type: \t PCIe\nBus Location: \t 0000:07:00.0\nDevice Minor: \t 3\nGPU Excluded:\t No\n";

class Scripted : public ProcessRunner {
 public:
  Result<ProcessOutcome> Run(const ProcessSpec& spec, const WaitLimit&) override {
    asked = spec.argv;
    return outcome;
  }
  std::vector<std::string> asked;
  ProcessOutcome outcome;
};

TEST(DriverGpu, IsReadByItsNames) {
  ASSERT_OK_AND_ASSIGN(const DriverGpu gpu, ParseDriverGpu(kInformation));
  EXPECT_EQ(gpu.uuid, kA);
  EXPECT_EQ(gpu.minor, 3);
  EXPECT_CODE(Code::kNotFound, ParseDriverGpu("GPU UUID: unknown\nDevice Minor: 1\n"));
  EXPECT_CODE(Code::kNotFound, ParseDriverGpu(std::string("GPU UUID: ") + kA));
  EXPECT_CODE(Code::kNotFound, ParseDriverGpu(""));
}

TEST(DriverGpus, AreOnlyThoseWhoseDeviceTheContainerHas) {
  const TempDirectory driver;
  std::filesystem::create_directory(driver / "0000:07:00.0");
  std::ofstream(driver / "0000:07:00.0/information") << kInformation;
  const auto gpus = MakeDriverGpus("/proc", driver.path());
  EXPECT_THAT(*gpus->SeenBy(::getpid(), WaitLimit::Forever()), IsEmpty())
      << "there is no /dev/nvidia3 here";
  EXPECT_CODE(Code::kNotFound,
              MakeDriverGpus("/proc", driver / "none")->SeenBy(::getpid(), WaitLimit::Forever()));
}

TEST(NvidiaSmi, IsAskedInTheContainer) {
  Scripted runner;
  runner.outcome.output = std::string(kA) + "\n";
  const auto gpus = MakeNvidiaSmiGpus(runner);
  EXPECT_THAT(*gpus->SeenBy(9, WaitLimit::Forever()), ElementsAre(kA));
  EXPECT_THAT(runner.asked,
              ElementsAre("nsenter", "--target", "9", "--mount", "--pid", "--", "nvidia-smi",
                          "--query-gpu=gpu_uuid", "--format=csv,noheader"));
  runner.outcome = {.exit_code = 127, .errors = "nsenter: failed to execute nvidia-smi"};
  const auto failed = gpus->SeenBy(9, WaitLimit::Forever());
  EXPECT_EQ(failed.status().code(), Code::kUnavailable);
  EXPECT_THAT(failed.status().ToString(), HasSubstr("failed to execute"));
}

}  // namespace
}  // namespace hearth::agent::cuda
