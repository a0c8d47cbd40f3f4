#include "bare_call.h"

#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "bare_attach.h"
#include "participant.h"

namespace hearth::bench {
namespace {

constexpr size_t kBytes = 64;

struct Message {
  std::array<char, kBytes> bytes{};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  iovec part{bytes.data(), bytes.size()};
  msghdr header{};

  explicit Message(bool with_fd) {
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    if (with_fd) {
      header.msg_control = control.data();
      header.msg_controllen = control.size();
    }
  }
};

bool SendWithFd(int socket, int fd) {
  Message message(true);
  cmsghdr* const part = CMSG_FIRSTHDR(&message.header);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(part), &fd, sizeof fd);
  return ::sendmsg(socket, &message.header, MSG_NOSIGNAL) == kBytes;
}

UniqueFd MakeMemory() {
  UniqueFd memory(::memfd_create("bench-bare", MFD_CLOEXEC));
  return ::ftruncate(memory.get(), kPieceBytes) == 0 ? std::move(memory) : UniqueFd();
}

// Answers until the other side goes.
Status Answer(int socket, BareMemory which) {
  std::vector<UniqueFd> made;
  made.push_back(MakeMemory());
  for (;;) {
    Message request(false);
    if (::recvmsg(socket, &request.header, 0) != kBytes) {
      return {};
    }
    if (which == BareMemory::kMade) {
      made.push_back(MakeMemory());
    }
    if (!SendWithFd(socket, made.back().get())) {
      return {};
    }
  }
}

bool Call(int socket) {
  Message request(false);
  Message answer(true);
  if (::sendmsg(socket, &request.header, MSG_NOSIGNAL) != kBytes ||
      ::recvmsg(socket, &answer.header, MSG_CMSG_CLOEXEC) != kBytes) {
    return false;
  }
  const cmsghdr* const part = CMSG_FIRSTHDR(&answer.header);
  int fd = -1;
  if (part != nullptr) {
    std::memcpy(&fd, CMSG_DATA(part), sizeof fd);
  }
  return fd >= 0 && ::close(fd) == 0;
}

}  // namespace

Result<std::vector<double>> MeasureBareCalls(size_t calls, BareMemory memory) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return Status::FromErrno(errno, "make a socket pair");
  }
  const UniqueFd here(ends[0]);
  UniqueFd there(ends[1]);
  ASSIGN_OR_RETURN(const Participant peer,
                   Participant::Start([&](const Line&) { return Answer(there.get(), memory); }));
  there.reset();
  std::vector<double> seconds;
  for (size_t i = 0; i < calls; ++i) {
    const double begin = Now();
    if (!Call(here.get())) {
      return Status::FromErrno(errno, "bare call");
    }
    seconds.push_back(Now() - begin);
  }
  return seconds;
}

Result<double> MeasureHangUpAndFree(uint64_t bytes) {
  UniqueFd memory(::memfd_create("bench-bare", MFD_CLOEXEC));
  if (!memory.valid() || ::ftruncate(memory.get(), static_cast<off_t>(bytes)) != 0) {
    return Status::FromErrno(errno, "make memory");
  }
  ASSIGN_OR_RETURN(const Participant holder, Participant::Start([&](const Line& line) -> Status {
                     // The mapping is left for the kernel to take away.
                     if (::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
                                memory.get(), 0) == MAP_FAILED) {
                       return Status::FromErrno(errno, "map memory");
                     }
                     memory.reset();
                     line.Say(0);
                     return {};
                   }));
  RETURN_IF_ERROR(holder.line().Hear());
  const double begin = Now();
  holder.Kill();
  pollfd hung_up{holder.line().fd(), POLLIN, 0};
  if (::poll(&hung_up, 1, -1) != 1) {
    return Status::FromErrno(errno, "wait for the hang-up");
  }
  memory.reset();
  return Now() - begin;
}

}  // namespace hearth::bench
