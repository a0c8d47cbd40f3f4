#include "agent/pages/userfault.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace hearth::agent::userfault {
namespace {

constexpr uint64_t kPage = 4096;

Status Failed(const char* what, uint64_t address) {
  return errno == ENOENT ? NotFoundError(fmt::format("{} at {:#x}: not registered", what, address))
                         : Status::FromErrno(errno, fmt::format("{} at {:#x}", what, address));
}

// Whoever waits for a page that is there already.
void Wake(int fault_fd, uint64_t address) {
  uffdio_range range{.start = address, .len = kPage};
  ::ioctl(fault_fd, UFFDIO_WAKE, &range);
}

}  // namespace

Result<UniqueFd> Open() {
  UniqueFd fd(static_cast<int>(::syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK)));
  uffdio_api api{};
  api.api = UFFD_API;
  if (!fd.valid() || ::ioctl(fd.get(), UFFDIO_API, &api) != 0) {
    return Status(Code::kUnsupported,
                  fmt::format("userfaultfd: {}", Status::FromErrno(errno, "").message()));
  }
  return fd;
}

Status Register(int fault_fd, uint64_t address, uint64_t bytes) {
  uffdio_register request{};
  request.range = {.start = address, .len = bytes};
  request.mode = UFFDIO_REGISTER_MODE_MISSING;
  return ::ioctl(fault_fd, UFFDIO_REGISTER, &request) == 0 ? Status::Ok()
                                                           : Failed("UFFDIO_REGISTER", address);
}

Status Copy(int fault_fd, uint64_t address, const char* from, uint64_t bytes) {
  uint64_t done = 0;
  uint64_t step = bytes;
  while (done < bytes) {
    uffdio_copy request{};
    request.dst = address + done;
    request.src = reinterpret_cast<uint64_t>(from) + done;
    request.len = std::min(step, bytes - done);
    if (::ioctl(fault_fd, UFFDIO_COPY, &request) == 0) {
      done += request.len;
      step = bytes;
    } else if (request.copy > 0) {
      done += static_cast<uint64_t>(request.copy);
    } else if (errno == EEXIST) {
      Wake(fault_fd, address + done);
      done += kPage;
    } else if (errno == ENOENT && request.len > kPage) {
      // The kernel wants it within one mapping; nobody tells us where the next one begins.
      step = std::max<uint64_t>(kPage, request.len / 2 / kPage * kPage);
    } else if (errno != EAGAIN) {
      return Failed("UFFDIO_COPY", address + done);
    }
  }
  return Status::Ok();
}

Status Zero(int fault_fd, uint64_t address) {
  while (true) {
    uffdio_zeropage request{};
    request.range = {.start = address, .len = kPage};
    if (::ioctl(fault_fd, UFFDIO_ZEROPAGE, &request) == 0) {
      return Status::Ok();
    }
    if (errno == EEXIST) {
      Wake(fault_fd, address);
      return Status::Ok();
    }
    if (errno != EAGAIN) {
      return Failed("UFFDIO_ZEROPAGE", address);
    }
  }
}

Result<std::optional<uint64_t>> ReadFault(int fault_fd) {
  uffd_msg message{};
  const ssize_t count = ::read(fault_fd, &message, sizeof(message));
  if (count < 0 && errno != EAGAIN && errno != EINTR) {
    return Status::FromErrno(errno, "userfaultfd");
  }
  if (count != static_cast<ssize_t>(sizeof(message))) {
    return std::optional<uint64_t>();
  }
  if (message.event == UFFD_EVENT_FORK) {
    ::close(static_cast<int>(message.arg.fork.ufd));
  }
  return message.event == UFFD_EVENT_PAGEFAULT
             ? std::optional<uint64_t>(message.arg.pagefault.address & ~(kPage - 1))
             : std::optional<uint64_t>();
}

}  // namespace hearth::agent::userfault
