#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "agent/files/save_files.h"
#include "base/process_runner.h"
#include "disk.h"
#include "disk/confined_file.h"
#include "names.h"
#include "rounds.h"
#include "scratch.h"

namespace hearth::bench {
namespace {

namespace fs = std::filesystem;

constexpr size_t kFilesInFolder = 100;
constexpr size_t kSmallFileBytes = 3000;
constexpr size_t kLargePiece = 1 << 20;

void MakeSmallFiles(const std::string& directory, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const std::string folder = fmt::format("{}/{}", directory, i / kFilesInFolder);
    fs::create_directories(folder);
    std::ofstream(fmt::format("{}/{}", folder, i))
        << std::string(kSmallFileBytes, static_cast<char>('a' + i % 26));
  }
}

void MakeLargeFile(const std::string& path, uint64_t mebibytes) {
  std::ofstream file(path, std::ios::binary);
  for (uint64_t i = 0; i < mebibytes; ++i) {
    file << std::string(kLargePiece, static_cast<char>('a' + i % 26));
  }
}

Status SyncAll(const std::string& directory) {
  const UniqueFd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (const auto& entry : fs::directory_iterator(directory)) {
    const UniqueFd file(::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.valid() || ::fsync(file.get()) != 0) {
      return Status::FromErrno(errno, entry.path().string());
    }
  }
  return ::fsync(fd.get()) == 0 ? Status::Ok() : Status::FromErrno(errno, directory);
}

// Until it is durable. Seconds.
Result<double> Save(const std::string& upper, const std::string& images) {
  fs::remove_all(images);
  fs::create_directories(images);
  ASSIGN_OR_RETURN(const UniqueFd from, disk::OpenDirectory(upper));
  ASSIGN_OR_RETURN(const UniqueFd to, disk::OpenDirectory(images));
  const SteadyTime begin = RealClock().Now();
  RETURN_IF_ERROR(agent::SaveFiles(from.get(), to.get(), {}, WaitLimit::Forever()).status());
  RETURN_IF_ERROR(SyncAll(images));
  return SecondsSince(begin);
}

Result<double> Tar(const std::string& upper, const std::string& images) {
  fs::remove_all(images);
  fs::create_directories(images);
  const ProcessSpec spec{
      .argv = {"tar", "--xattrs", "--sparse", "-cf", images + "/files.tar", "-C", upper, "."}};
  const SteadyTime begin = RealClock().Now();
  ASSIGN_OR_RETURN(const ProcessOutcome done, RealProcessRunner().Run(spec, WaitLimit::Forever()));
  RETURN_IF_ERROR(SyncAll(images));
  return done.ok() ? Result<double>(SecondsSince(begin)) : UnavailableError("tar: " + done.errors);
}

// Saved by us, or as many bytes written by fio.
Status MeasureLarge(const Scratch& scratch, uint64_t bytes, bool save, Figures& figures) {
  if (save) {
    ASSIGN_OR_RETURN(const double seconds, Save(scratch / "large", scratch / "images"));
    figures.Add(figure::kLargeFile, static_cast<double>(bytes) / seconds);
    fs::remove_all(scratch / "images");
  } else {
    ASSIGN_OR_RETURN(const double rate, MeasureWrite(scratch / "fio", bytes));
    figures.Add(figure::kLargeFileFio, rate);
  }
  return Status::Ok();
}

}  // namespace

Status MeasureFiles(const Plan& plan, Figures& figures) {
  ASSIGN_OR_RETURN(const Scratch scratch, Scratch::Make(plan.directory));
  fs::create_directories(scratch / "large");
  MakeSmallFiles(scratch / "small", plan.small_files);
  MakeLargeFile(scratch / "large/file", plan.mebibytes);
  for (size_t round = 0; round < plan.rounds; ++round) {
    std::cerr << fmt::format("bench: round {}, changed files\n", round + 1);
    ASSIGN_OR_RETURN(const double ours, Save(scratch / "small", scratch / "images"));
    ASSIGN_OR_RETURN(const double tar, Tar(scratch / "small", scratch / "images"));
    // Disks have moods: what is compared is measured one after the other.
    for (const bool save : {round % 2 == 0, round % 2 != 0}) {
      RETURN_IF_ERROR(MeasureLarge(scratch, plan.mebibytes << 20U, save, figures));
    }
    figures.Add(figure::kSmallFiles, ours);
    figures.Add(figure::kSmallFilesTar, tar);
  }
  return Status::Ok();
}

}  // namespace hearth::bench
