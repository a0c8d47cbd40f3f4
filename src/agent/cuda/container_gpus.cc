#include "agent/cuda/container_gpus.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <charconv>

#include "agent/cuda/gpu_uuid.h"
#include "agent/host/control_directory.h"
#include "agent/host/process_facts.h"
#include "base/file_system.h"
#include "base/strings.h"

namespace hearth::agent::cuda {
namespace {

using Uuids = std::vector<std::string>;

constexpr unsigned kDriverMajor = 195;
constexpr uint64_t kLargestText = 64 << 10;

bool HasDevice(const ControlDirectory& devices, int number) {
  struct stat info {};
  const std::string name = fmt::format("nvidia{}", number);
  return ::fstatat(devices.fd(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISCHR(info.st_mode) && major(info.st_rdev) == kDriverMajor &&
         minor(info.st_rdev) == static_cast<unsigned>(number);
}

class DriverGpus : public ContainerGpus {
 public:
  DriverGpus(std::string proc, std::string driver)
      : proc_(std::move(proc)), driver_(std::move(driver)) {}

  Result<Uuids> SeenBy(int pid, const WaitLimit&) override {
    // Looked up within the container's root: a link of its own leads nowhere else.
    ASSIGN_OR_RETURN(const auto devices,
                     ControlDirectory::Open(ProcReader(proc_).RootOf(pid), "/dev"));
    // Named by their place on the bus, and sorted.
    ASSIGN_OR_RETURN(const auto places, RealFileSystem().List(driver_));
    Uuids uuids;
    for (const std::string& place : places) {
      ASSIGN_OR_RETURN(const std::string text,
                       RealFileSystem().Read(driver_ + "/" + place + "/information", kLargestText));
      auto gpu = ParseDriverGpu(text);
      if (gpu.ok() && HasDevice(devices, gpu->minor)) {
        uuids.push_back(std::move(gpu->uuid));
      }
    }
    return CanonicalGpuUuids(uuids);
  }

 private:
  std::string proc_;
  std::string driver_;
};

class NvidiaSmiGpus : public ContainerGpus {
 public:
  explicit NvidiaSmiGpus(ProcessRunner& runner) : runner_(runner) {}

  Result<Uuids> SeenBy(int pid, const WaitLimit& limit) override {
    ProcessSpec spec;
    spec.argv = {"nsenter",
                 "--target",
                 std::to_string(pid),
                 "--mount",
                 "--pid",
                 "--",
                 "nvidia-smi",
                 "--query-gpu=gpu_uuid",
                 "--format=csv,noheader"};
    ASSIGN_OR_RETURN(const ProcessOutcome done, runner_.Run(spec, limit));
    if (!done.ok()) {
      return UnavailableError(fmt::format("nvidia-smi in the container of process {}: {}", pid,
                                          Excerpt(Trim(done.errors), 300)));
    }
    return ParseGpuLines(done.output);
  }

 private:
  ProcessRunner& runner_;
};

}  // namespace

Result<DriverGpu> ParseDriverGpu(std::string_view text) {
  DriverGpu gpu;
  for (const std::string_view line : Split(text, '\n')) {
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos) {
      continue;
    }
    const std::string_view key = Trim(line.substr(0, colon));
    const std::string_view value = Trim(line.substr(colon + 1));
    if (key == "GPU UUID") {
      gpu.uuid = CanonicalGpuUuid(value).value_or("");
    } else if (key == "Device Minor") {
      (void)std::from_chars(value.data(), value.data() + value.size(), gpu.minor);
    }
  }
  if (gpu.uuid.empty() || gpu.minor < 0) {
    return NotFoundError("the driver tells no UUID or no minor number of a GPU");
  }
  return gpu;
}

std::unique_ptr<ContainerGpus> MakeDriverGpus(std::string proc, std::string driver) {
  return std::make_unique<DriverGpus>(std::move(proc), std::move(driver));
}

std::unique_ptr<ContainerGpus> MakeNvidiaSmiGpus(ProcessRunner& runner) {
  return std::make_unique<NvidiaSmiGpus>(runner);
}

}  // namespace hearth::agent::cuda
