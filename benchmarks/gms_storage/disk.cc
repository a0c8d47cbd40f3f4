#include "disk.h"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>

#include "base/clock.h"
#include "base/process_runner.h"
#include "base/strings.h"

namespace hearth::bench {
namespace {

// Fields of fio's terse form, version 3: bandwidth in KiB a second.
constexpr size_t kReadBandwidth = 6;
constexpr size_t kWriteBandwidth = 47;

Result<double> RunFio(std::vector<std::string> arguments, size_t field) {
  std::vector<std::string> argv = {"fio",
                                   "--name=disk",
                                   "--thread=1",
                                   "--ioengine=io_uring",
                                   "--direct=1",
                                   "--bs=1M",
                                   "--iodepth=32",
                                   "--fixedbufs=1",
                                   "--registerfiles=1",
                                   "--output-format=terse",
                                   "--terse-version=3"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  ASSIGN_OR_RETURN(const ProcessOutcome outcome,
                   RealProcessRunner().Run({.argv = argv}, WaitLimit::Forever()));
  const std::vector<std::string_view> fields = Split(outcome.output, ';');
  double kib = 0;
  if (!outcome.ok() || fields.size() <= field ||
      std::from_chars(fields[field].data(), fields[field].data() + fields[field].size(), kib).ec !=
          std::errc()) {
    return UnavailableError(fmt::format("fio failed: {} {}", outcome.errors, outcome.output));
  }
  return kib * 1024;
}

Result<double> Write(const std::string& file, uint64_t bytes, const std::string& fallocate) {
  auto rate = RunFio({"--filename=" + file, "--rw=write", fmt::format("--size={}", bytes),
                      "--fallocate=" + fallocate, "--end_fsync=1"},
                     kWriteBandwidth);
  ::unlink(file.c_str());
  return rate;
}

}  // namespace

Result<double> MeasureRead(const std::string& file) {
  return RunFio({"--filename=" + file, "--rw=read", "--readonly"}, kReadBandwidth);
}

Result<double> MeasureWrite(const std::string& file, uint64_t bytes) {
  return Write(file, bytes, "posix");
}

Result<double> MeasurePlainWrite(const std::string& file, uint64_t bytes) {
  return Write(file, bytes, "none");
}

}  // namespace hearth::bench
