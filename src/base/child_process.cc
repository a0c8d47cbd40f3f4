#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

#include "base/internal/pidfd.h"
#include "base/internal/spawn.h"
#include "base/limited_poll.h"
#include "base/process_runner.h"
#include "base/unique_fd.h"

namespace hearth {
namespace {

Result<UniqueFd> Open(const std::string& path, int flags) {
  UniqueFd fd(::open(path.c_str(), flags | O_CLOEXEC, 0644));
  if (!fd.valid()) {
    return Status::FromErrno(errno, "open " + path);
  }
  return fd;
}

}  // namespace

Result<ChildProcess> ChildProcess::Start(const Spec& spec) {
  const std::string log = spec.log_path.empty() ? "/dev/null" : spec.log_path;
  ASSIGN_OR_RETURN(UniqueFd nothing, Open("/dev/null", O_RDONLY));
  ASSIGN_OR_RETURN(UniqueFd output, Open(log, O_WRONLY | O_CREAT | O_APPEND));
  ASSIGN_OR_RETURN(internal::Spawned spawned,
                   internal::Spawn({.argv = spec.argv,
                                    .env = spec.env,
                                    .clear_env = false,
                                    .directory = spec.directory,
                                    .input_fd = spec.input_fd >= 0 ? spec.input_fd : nothing.get(),
                                    .output_fd = output.get(),
                                    .errors_fd = output.get(),
                                    .inherited_fds = spec.inherited_fds}));
  ChildProcess child;
  child.pid_ = spawned.pid;
  child.pidfd_ = std::move(spawned.pidfd);
  child.name_ = spec.argv[0];
  return child;
}

ChildProcess::ChildProcess(ChildProcess&&) noexcept = default;

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  if (this != &other) {
    Reap();
    pid_ = other.pid_;
    pidfd_ = std::move(other.pidfd_);
    name_ = std::move(other.name_);
    outcome_ = std::move(other.outcome_);
  }
  return *this;
}

ChildProcess::~ChildProcess() { Reap(); }

bool ChildProcess::Running() {
  pollfd ended{.fd = pidfd_.get(), .events = POLLIN, .revents = 0};
  return pidfd_.valid() && ::poll(&ended, 1, 0) == 0;
}

Status ChildProcess::Signal(int signal) {
  if (!Running()) {
    return NotFoundError("signal " + name_ + ": it has ended");
  }
  if (internal::PidfdSendSignal(pidfd_.get(), signal) != 0) {
    return Status::FromErrno(errno, "signal " + name_);
  }
  return {};
}

void ChildProcess::Stop(Duration grace) {
  if (Signal(SIGTERM).ok()) {
    // Over or not, what follows is the same.
    static_cast<void>(AwaitEnd(WaitLimit::For(RealClock(), grace)));
  }
  Reap();
}

Result<ProcessOutcome> ChildProcess::Wait(const WaitLimit& limit) {
  RETURN_IF_ERROR(AwaitEnd(limit));
  Reap();
  return outcome_;
}

Status ChildProcess::AwaitEnd(const WaitLimit& limit) {
  if (!pidfd_.valid()) {
    return {};
  }
  ASSIGN_OR_RETURN(LimitedPoll poll, LimitedPoll::Make(limit));
  std::array<pollfd, 1> ended = {{{pidfd_.get(), POLLIN, 0}}};
  return poll.Wait(ended, "wait for " + name_);
}

// The group is killed before the child is waited for: until then its number cannot belong to
// anybody else.
void ChildProcess::Reap() {
  if (pidfd_.valid()) {
    internal::Spawned spawned{pid_, std::move(pidfd_)};
    internal::KillGroup(spawned);
    outcome_ = internal::Reap(spawned);
  }
}

}  // namespace hearth
