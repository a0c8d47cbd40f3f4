#include "agent/container/pinned_process.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <ctime>
#include <span>
#include <string>

#include "base/file_system.h"
#include "base/limited_poll.h"
#include "base/strings.h"

namespace hearth::agent {
namespace {

constexpr uint64_t kLargestStat = 8192;

// Since the machine was started, as processes are told to have begun.
double SecondsSinceBoot() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Whether the process was there at that time for certain. False when it cannot be told.
bool BeganBefore(int pid, double then) {
  constexpr size_t kStart = 19;  // among the words behind the name, which may be anything
  const auto text = RealFileSystem().Read(fmt::format("/proc/{}/stat", pid), kLargestStat);
  const size_t name_end = text.ok() ? text->rfind(')') : std::string::npos;
  if (name_end == std::string::npos || name_end + 2 >= text->size()) {
    return false;
  }
  const auto words = Split(std::string_view(*text).substr(name_end + 2), ' ');
  uint64_t ticks = 0;
  if (words.size() <= kStart ||
      std::from_chars(words[kStart].data(), words[kStart].data() + words[kStart].size(), ticks)
              .ec != std::errc()) {
    return false;
  }
  // Of the tick in which it began it is only known that it did.
  return static_cast<double>(ticks + 1) / static_cast<double>(::sysconf(_SC_CLK_TCK)) < then;
}

bool HasEnded(const UniqueFd& pidfd) {
  pollfd entry{pidfd.get(), POLLIN, 0};
  return ::poll(&entry, 1, 0) != 0;
}

}  // namespace

Result<PinnedProcess> PinnedProcess::Of(ContainerRuntime& runtime, std::string_view container_id,
                                        const WaitLimit& limit) {
  const double asked = SecondsSinceBoot();
  ASSIGN_OR_RETURN(Container found, runtime.Find(container_id, limit));
  UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, found.pid, 0)));
  if (!pidfd.valid() && errno != ESRCH) {
    return Status::FromErrno(
        errno, fmt::format("hold process {} of container {}", found.pid, container_id));
  }
  // One that had its number before the runtime was asked, and has it still, had it when the runtime
  // answered.
  if (pidfd.valid() && BeganBefore(found.pid, asked) && !HasEnded(pidfd)) {
    return PinnedProcess(std::move(found), std::move(pidfd));
  }
  ASSIGN_OR_RETURN(const Container again, runtime.Find(container_id, limit));
  if (!pidfd.valid() || again.pid != found.pid) {
    return UnavailableError(
        fmt::format("container {} ended or was started again while it was looked up; look again",
                    container_id));
  }
  return PinnedProcess(std::move(found), std::move(pidfd));
}

bool PinnedProcess::Running() const { return !HasEnded(pidfd_); }

Status PinnedProcess::Kill() const {
  if (::syscall(SYS_pidfd_send_signal, pidfd_.get(), SIGKILL, nullptr, 0) == 0 || errno == ESRCH) {
    return Status::Ok();
  }
  return Status::FromErrno(
      errno, fmt::format("kill process {} of container {}", container_.pid, container_.id));
}

Status PinnedProcess::AwaitEnd(const WaitLimit& limit) const {
  ASSIGN_OR_RETURN(LimitedPoll poll, LimitedPoll::Make(limit));
  pollfd entry{pidfd_.get(), POLLIN, 0};
  return poll.Wait(std::span(&entry, 1), fmt::format("the end of container {}", container_.id));
}

}  // namespace hearth::agent
