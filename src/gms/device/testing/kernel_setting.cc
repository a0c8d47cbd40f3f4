#include "gms/device/testing/kernel_setting.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "base/file_system.h"
#include "base/strings.h"
#include "gms/device/internal/huge_pages.h"

namespace hearth::gms {
namespace {

constexpr char kPages[] = "/proc/sys/vm/nr_hugepages";

Status Failed(const std::string& path) {
  return UnavailableError(Status::FromErrno(errno, path + " cannot be changed").ToString());
}

Status Write(const std::string& path, const std::string& value) {
  UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!fd.valid() || ::write(fd.get(), value.data(), value.size()) < 0) {
    return Failed(path);
  }
  return Status::Ok();
}

std::string Read(const std::string& path) {
  std::string text = RealFileSystem().Read(path, 4096).value_or(std::string());
  std::string_view chosen = internal::ChosenWord(text);
  return std::string(chosen.empty() ? Trim(text) : chosen);
}

int Pages() { return std::atoi(Read(kPages).c_str()); }

Result<UniqueFd> TakeTurn(const std::string& path) {
  UniqueFd turn(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!turn.valid() || ::flock(turn.get(), LOCK_EX) != 0) {
    return Failed(path);
  }
  return turn;
}

}  // namespace

Result<KernelSetting> KernelSetting::Change(const std::string& path, const std::string& value) {
  ASSIGN_OR_RETURN(UniqueFd turn, TakeTurn(path));
  std::string before = Read(path);
  RETURN_IF_ERROR(Write(path, value));
  return KernelSetting(path, before, std::move(turn));
}

KernelSetting::~KernelSetting() {
  if (turn_.valid()) {
    (void)Write(path_, before_);
  }
}

Result<HugePagePool> HugePagePool::Reserve(int pages) {
  ASSIGN_OR_RETURN(UniqueFd turn, TakeTurn(kPages));
  int before = Pages();
  RETURN_IF_ERROR(Write(kPages, std::to_string(before + pages)));
  int got = Pages() - before;
  HugePagePool pool(got, std::move(turn));
  if (got < pages) {
    return UnavailableError("this machine has not enough memory in one piece for huge pages");
  }
  return pool;
}

HugePagePool::~HugePagePool() {
  if (turn_.valid()) {
    (void)Write(kPages, std::to_string(Pages() - pages_));
  }
}

}  // namespace hearth::gms
