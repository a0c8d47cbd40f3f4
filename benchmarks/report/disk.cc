#include "disk.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <charconv>

#include "base/process_runner.h"
#include "base/strings.h"
#include "base/unique_fd.h"

namespace hearth::bench {
namespace {

// Fields of fio's terse form, version 3. Bandwidth is in KiB a second; after the user's share of
// the time comes the system's.
constexpr size_t kReadBandwidth = 6;
constexpr size_t kReadMilliseconds = 8;
constexpr size_t kWriteBandwidth = 47;
constexpr size_t kUserPercent = 87;

using Fields = std::vector<std::string_view>;

// A number, whatever follows it ("12.5%").
Result<double> Number(const Fields& fields, size_t index) {
  double number = 0;
  if (fields.size() <= index ||
      std::from_chars(fields[index].data(), fields[index].data() + fields[index].size(), number)
              .ec != std::errc()) {
    return UnavailableError("fio answers in another form than was asked for");
  }
  return number;
}

Result<std::string> RunFio(const std::vector<std::string>& arguments) {
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
  ASSIGN_OR_RETURN(ProcessOutcome outcome,
                   RealProcessRunner().Run({.argv = argv}, WaitLimit::Forever()));
  if (!outcome.ok()) {
    return UnavailableError(fmt::format("fio failed: {} {}", outcome.errors, outcome.output));
  }
  return std::move(outcome.output);
}

Result<double> Write(const std::string& file, uint64_t bytes, const std::string& fallocate) {
  const auto output = RunFio({"--filename=" + file, "--rw=write", fmt::format("--size={}", bytes),
                              "--fallocate=" + fallocate, "--end_fsync=1"});
  ::unlink(file.c_str());
  RETURN_IF_ERROR(output);
  ASSIGN_OR_RETURN(const double kib, Number(Split(*output, ';'), kWriteBandwidth));
  return kib * 1024;
}

double ChildrenCpuSeconds() {
  rusage usage{};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

void ForgetCached(const std::string& file) {
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  ::posix_fadvise(fd.get(), 0, 0, POSIX_FADV_DONTNEED);
}

}  // namespace

Result<DiskRead> MeasureRead(const std::string& file) {
  ASSIGN_OR_RETURN(const std::string output,
                   RunFio({"--filename=" + file, "--rw=read", "--readonly"}));
  const Fields fields = Split(output, ';');
  ASSIGN_OR_RETURN(const double kib, Number(fields, kReadBandwidth));
  ASSIGN_OR_RETURN(const double milliseconds, Number(fields, kReadMilliseconds));
  ASSIGN_OR_RETURN(const double user, Number(fields, kUserPercent));
  ASSIGN_OR_RETURN(const double system, Number(fields, kUserPercent + 1));
  return DiskRead{.rate = kib * 1024, .cpu_seconds = (user + system) / 100 * milliseconds / 1000};
}

Result<double> MeasureWrite(const std::string& file, uint64_t bytes) {
  return Write(file, bytes, "posix");
}

Result<double> MeasurePlainWrite(const std::string& file, uint64_t bytes) {
  return Write(file, bytes, "none");
}

Result<double> MeasureCp(const std::string& from, const std::string& to) {
  ForgetCached(from);
  const double begin = ChildrenCpuSeconds();
  const auto outcome = RealProcessRunner().Run({.argv = {"cp", from, to}}, WaitLimit::Forever());
  const double seconds = ChildrenCpuSeconds() - begin;
  ::unlink(to.c_str());
  ForgetCached(from);
  RETURN_IF_ERROR(outcome);
  return outcome->ok() ? Result<double>(seconds) : UnavailableError("cp: " + outcome->errors);
}

}  // namespace hearth::bench
