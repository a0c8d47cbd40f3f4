#include "simulated_device.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/strings.h"

namespace hearth::cuda {

std::unique_ptr<agent::cuda::CudaCheckpoint> SimulatedDevice::Driver(
    const std::string& job_file) const {
  return agent::cuda::MakeCudaCheckpointProgram({.program = SIMULATED_CUDA_CHECKPOINT,
                                                 .job_file = job_file,
                                                 .env = {{"SIMULATED_CUDA", directory_.path()}}},
                                                RealProcessRunner(), RealClock());
}

void SimulatedDevice::Add(int pid, const std::string& state) {
  std::ofstream(directory_ / ("process." + std::to_string(pid))) << state;
}

void SimulatedDevice::Remove(int pid) {
  std::filesystem::remove(directory_ / ("process." + std::to_string(pid)));
}

std::string SimulatedDevice::StateOf(int pid) const {
  return Read("process." + std::to_string(pid));
}

std::string SimulatedDevice::DevicesOf(int pid) const {
  return Read("devices." + std::to_string(pid));
}

void SimulatedDevice::Fail(const std::string& line) {
  std::ofstream(directory_ / "fail", std::ios::app) << line << '\n';
}

void SimulatedDevice::Hang(const std::string& line) {
  std::ofstream(directory_ / "hang", std::ios::app) << line << '\n';
}

void SimulatedDevice::Recover() {
  for (const char* const name : {"fail", "hang", "log"}) {
    std::filesystem::remove(directory_ / name);
  }
}

std::vector<std::string> SimulatedDevice::Actions() const {
  std::vector<std::string> actions;
  const std::string log = Read("log");
  for (const std::string_view line : Split(log, '\n')) {
    if (!line.empty() && !line.starts_with("--")) {
      actions.emplace_back(line);
    }
  }
  return actions;
}

bool SimulatedDevice::Hanging() const { return !Read("hanging").empty(); }

std::string SimulatedDevice::Read(const std::string& name) const {
  std::ifstream file(directory_ / name);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace hearth::cuda
