#include "gms/failover/lock_owner.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>

#include "base/file_system.h"
#include "base/strings.h"
#include "gms/failover/internal/pidfd.h"

namespace hearth::gms {
namespace {

constexpr std::string_view kVersion = "1";

template <typename Number>
bool ReadNumber(std::string_view text, Number& number) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

// The 22nd word of /proc/PID/stat; the second, a name in parentheses, may have anything in it.
std::optional<uint64_t> StartTimeOf(pid_t pid) {
  auto text = RealFileSystem().Read(fmt::format("/proc/{}/stat", pid), 1 << 14);
  if (!text.ok() || text->rfind(')') == std::string::npos) {
    return std::nullopt;
  }
  auto words = Split(std::string_view(*text).substr(text->rfind(')') + 1), ' ');
  uint64_t start = 0;
  if (words.size() < 21 || !ReadNumber(words[20], start)) {
    return std::nullopt;
  }
  return start;
}

uint64_t OurPidNamespace() {
  struct stat info {};
  return ::stat("/proc/self/ns/pid", &info) == 0 ? info.st_ino : 0;
}

}  // namespace

std::string LockOwnerPath(const std::string& lock_path) { return lock_path + ".owner"; }

std::string FormatLockOwner(const LockOwner& owner) {
  return fmt::format("{} {} {} {} {}\n", kVersion, owner.pid, owner.start_time, owner.pid_namespace,
                     owner.identity);
}

Result<LockOwner> ParseLockOwner(std::string_view text) {
  auto words = Split(text.substr(0, text.find('\n')), ' ');
  LockOwner owner;
  if (words.size() < 5 || words[0] != kVersion || !ReadNumber(words[1], owner.pid) ||
      owner.pid <= 0 || !ReadNumber(words[2], owner.start_time) ||
      !ReadNumber(words[3], owner.pid_namespace)) {
    return InvalidError(fmt::format(
        "'{}' is not the record of a lock's owner: expected are version {}, pid, start time, pid "
        "namespace and identity",
        Excerpt(text, 80), kVersion));
  }
  owner.identity = std::string(words[4].data(), text.substr(0, text.find('\n')).end());
  return owner;
}

LockOwner ThisProcess(std::string identity) {
  pid_t pid = ::getpid();
  return {.identity = std::move(identity),
          .pid = pid,
          .start_time = StartTimeOf(pid).value_or(0),
          .pid_namespace = OurPidNamespace()};
}

ProcessState StateOf(const LockOwner& owner) {
  if (owner.pid_namespace != OurPidNamespace()) {
    return ProcessState::kUnknown;
  }
  UniqueFd pidfd = internal::OpenPidfd(owner.pid);
  if (!pidfd.valid()) {
    return ProcessState::kGone;
  }
  // The descriptor stands for one process; if that one has another start time, the pid was used
  // again.
  if (StartTimeOf(owner.pid) != owner.start_time) {
    return ProcessState::kGone;
  }
  pollfd ended{.fd = pidfd.get(), .events = POLLIN, .revents = 0};
  return ::poll(&ended, 1, 0) == 0 ? ProcessState::kRunning : ProcessState::kGone;
}

}  // namespace hearth::gms
