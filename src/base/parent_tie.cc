#include "base/parent_tie.h"

#include <sys/prctl.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <csignal>

namespace hearth {
namespace {

bool Tell(const UniqueFd& socket) {
  const char byte = 0;
  return ::send(socket.get(), &byte, 1, MSG_NOSIGNAL) == 1;
}

// False: the other side has ended.
bool Hear(const UniqueFd& socket) {
  char byte = 0;
  ssize_t count = 0;
  do {
    count = ::recv(socket.get(), &byte, 1, 0);
  } while (count < 0 && errno == EINTR);
  return count == 1;
}

}  // namespace

Result<ParentTie> ParentTie::Make() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return Status::FromErrno(errno, "socketpair for a child");
  }
  return ParentTie(UniqueFd(ends[0]), UniqueFd(ends[1]));
}

bool ParentTie::Hold() {
  parent_.reset();  // or the socket would not end with the parent
  // In this order: a parent that answers lived when the signal was set.
  const bool held = ::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && Tell(child_) && Hear(child_);
  child_.reset();
  return held;
}

void ParentTie::Confirm() {
  child_.reset();
  if (Hear(parent_)) {
    static_cast<void>(Tell(parent_));
  }
  parent_.reset();
}

}  // namespace hearth
