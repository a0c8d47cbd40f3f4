#include "participant.h"

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <ctime>
#include <iostream>

namespace hearth::bench {

void Line::Say(double number) const {
  // Nobody listens any more: whoever waits for this is gone as well.
  static_cast<void>(::send(end_.get(), &number, sizeof number, MSG_NOSIGNAL));
}

Result<double> Line::Hear() const {
  double number = 0;
  return ::recv(end_.get(), &number, sizeof number, 0) == sizeof number
             ? Result<double>(number)
             : UnavailableError("a participant of the bench has gone");
}

Result<Participant> Participant::Start(const std::function<Status(const Line&)>& act) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return Status::FromErrno(errno, "make a socket pair");
  }
  UniqueFd here(ends[0]);
  UniqueFd there(ends[1]);
  const pid_t pid = ::fork();
  if (pid < 0) {
    return Status::FromErrno(errno, "fork");
  }
  if (pid > 0) {
    return Participant(pid, std::move(here));
  }
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  here.reset();
  const Line line(std::move(there));
  const Status acted = act(line);
  if (!acted.ok()) {
    std::cerr << "bench: " << acted.message() << "\n";
    ::_exit(1);
  }
  for (;;) {
    ::pause();
  }
}

Participant::Participant(Participant&& other) noexcept
    : pid_(other.pid_), line_(std::move(other.line_)) {
  other.pid_ = -1;
}

Participant::~Participant() {
  if (pid_ > 0) {
    Kill();
    ::waitpid(pid_, nullptr, 0);
  }
}

void Participant::Kill() const { ::kill(pid_, SIGKILL); }

double Now() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace hearth::bench
