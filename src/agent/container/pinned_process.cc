#include "agent/container/pinned_process.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <span>

#include "base/limited_poll.h"

namespace hearth::agent {

Result<PinnedProcess> PinnedProcess::Of(ContainerRuntime& runtime, std::string_view container_id,
                                        const WaitLimit& limit) {
  ASSIGN_OR_RETURN(Container found, runtime.Find(container_id, limit));
  UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, found.pid, 0)));
  if (!pidfd.valid() && errno != ESRCH) {
    return Status::FromErrno(
        errno, fmt::format("hold process {} of container {}", found.pid, container_id));
  }
  ASSIGN_OR_RETURN(const Container again, runtime.Find(container_id, limit));
  if (!pidfd.valid() || again.pid != found.pid) {
    return UnavailableError(
        fmt::format("container {} ended or was started again while it was looked up; look again",
                    container_id));
  }
  return PinnedProcess(std::move(found), std::move(pidfd));
}

bool PinnedProcess::Running() const {
  pollfd entry{pidfd_.get(), POLLIN, 0};
  return ::poll(&entry, 1, 0) == 0;
}

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
