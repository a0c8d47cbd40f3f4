#include "agent/host/freezer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

#include "base/strings.h"
#include "base/unique_fd.h"

namespace hearth::agent {
namespace {

// One hierarchy's way to say it.
struct Control {
  std::string_view file;
  std::string_view run;
  std::string_view stop;
  std::string_view told_by;  // a file that tells whether all stand
  std::string_view all_stand;
};
constexpr Control kOld{"freezer.state", "THAWED", "FROZEN", "freezer.state", "FROZEN"};
constexpr Control kUnified{"cgroup.freeze", "0", "1", "cgroup.events", "frozen 1"};

std::string PathOf(const std::string& directory, std::string_view file) {
  return directory + "/" + std::string(file);
}

// kNotFound when this hierarchy has no such file.
Status WriteControl(const std::string& path, std::string_view value) {
  const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!fd.valid() || ::write(fd.get(), value.data(), value.size()) < 0) {
    return Status::FromErrno(errno, fmt::format("write {} to {}", value, path));
  }
  return Status::Ok();
}

Result<std::string> ReadControl(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 256> text{};
  const ssize_t count = fd.valid() ? ::read(fd.get(), text.data(), text.size()) : -1;
  if (count < 0) {
    return Status::FromErrno(errno, "read " + path);
  }
  return std::string(text.data(), static_cast<size_t>(count));
}

Result<bool> AllStand(const std::string& directory, const Control& control) {
  ASSIGN_OR_RETURN(const std::string text, ReadControl(PathOf(directory, control.told_by)));
  const auto lines = Split(text, '\n');
  return std::find(lines.begin(), lines.end(), control.all_stand) != lines.end();
}

// Nobody tells in the old hierarchy, and in most cases it takes microseconds.
Result<bool> AwaitAll(const std::string& directory, const Control& control, const WaitLimit& limit,
                      Clock& clock) {
  constexpr Duration kLongest = std::chrono::milliseconds(5);
  Duration pause = std::chrono::microseconds(20);
  while (true) {
    ASSIGN_OR_RETURN(const bool all, AllStand(directory, control));
    if (all || limit.Expired(clock) || !SleepFor(clock, pause, limit.stop)) {
      return all;
    }
    pause = std::min(2 * pause, kLongest);
  }
}

}  // namespace

Result<bool> Freeze(const std::string& directory, const WaitLimit& limit, Clock& clock) {
  for (const Control& control : {kOld, kUnified}) {
    const auto now = ReadControl(PathOf(directory, control.file));
    if (directory.empty() || now.status().Is(Code::kNotFound)) {
      continue;
    }
    RETURN_IF_ERROR(now.status());
    if (Trim(*now) != control.run) {
      return false;
    }
    RETURN_IF_ERROR(WriteControl(PathOf(directory, control.file), control.stop));
    auto all = AwaitAll(directory, control, limit, clock);
    if (!all.ok() || !*all) {
      RETURN_IF_ERROR(WriteControl(PathOf(directory, control.file), control.run));
    }
    return all;
  }
  return false;
}

Status Thaw(const std::string& directory) {
  if (directory.empty()) {
    return Status::Ok();
  }
  Status old = WriteControl(PathOf(directory, kOld.file), kOld.run);
  if (!old.Is(Code::kNotFound)) {
    return old;
  }
  Status unified = WriteControl(PathOf(directory, kUnified.file), kUnified.run);
  return unified.Is(Code::kNotFound) ? Status::Ok() : unified;
}

}  // namespace hearth::agent
