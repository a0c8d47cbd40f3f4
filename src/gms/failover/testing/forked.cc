#include "gms/failover/testing/forked.h"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "base/check.h"

namespace hearth::gms {

void Forked::Line::Say(char word) { CHECK(::send(fd_.get(), &word, 1, MSG_NOSIGNAL) == 1); }

char Forked::Line::Hear() {
  char word = 0;
  return ::recv(fd_.get(), &word, 1, 0) == 1 ? word : '\0';
}

Forked::Forked(const std::function<void(Line&)>& work) : line_(UniqueFd()) {
  int ends[2];
  CHECK(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
  UniqueFd ours(ends[0]);
  UniqueFd theirs(ends[1]);
  pid_ = ::fork();
  CHECK(pid_ >= 0);
  if (pid_ == 0) {
    ::setpgid(0, 0);
    ours.reset();
    Line line(std::move(theirs));
    work(line);
    ::_exit(0);
  }
  ::setpgid(pid_, pid_);
  line_ = Line(std::move(ours));
}

void Forked::KillOnlyIt() {
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void Forked::Kill() {
  if (pid_ > 0) {
    ::kill(-pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
}

}  // namespace hearth::gms
