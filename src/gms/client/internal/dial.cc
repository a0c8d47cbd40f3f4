#include "gms/client/internal/dial.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "gms/protocol/socket_path.h"

namespace hearth::gms::internal {
namespace {

constexpr Duration kRefusedPause = std::chrono::milliseconds(10);
// How long a server is looked for again and again before its folder is watched, and how often.
constexpr Duration kLook = std::chrono::milliseconds(50);
constexpr Duration kFirstPause = std::chrono::microseconds(200);
constexpr Duration kLongestPause = std::chrono::milliseconds(5);

sockaddr_un Address(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::copy(path.begin(), path.end(), address.sun_path);
  return address;
}

// A connected socket, or errno.
struct Attempt {
  UniqueFd fd;
  int error = 0;
};

Attempt TryOnce(const sockaddr_un& address) {
  // A blocking one would wait for ever for a server that accepts nobody, once its queue is full.
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.valid()) {
    return {.error = errno};
  }
  while (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    if (errno != EINTR) {
      return {.error = errno};
    }
  }
  return {.fd = std::move(fd)};
}

constexpr int kNoDescriptor = -1;  // poll passes over it

bool MayComeLater(int error) {
  return error == ENOENT || error == ECONNREFUSED || error == ENOTDIR || error == EAGAIN;
}

// Watches the nearest folder above `path` that exists. A descriptor that is readable once something
// has appeared there.
Result<UniqueFd> WatchFor(const std::filesystem::path& path) {
  UniqueFd watch(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!watch.valid()) {
    return Status::FromErrno(errno, "make an inotify watch");
  }
  std::filesystem::path folder = path.parent_path();
  while (true) {
    const char* name = folder.empty() ? "." : folder.c_str();
    if (::inotify_add_watch(watch.get(), name, IN_CREATE | IN_MOVED_TO | IN_DELETE_SELF) >= 0) {
      return watch;
    }
    if (folder.empty() || folder == folder.parent_path()) {
      return Status::FromErrno(errno, fmt::format("watch for {}", path.string()));
    }
    folder = folder.parent_path();
  }
}

Status NobodyThere(const std::string& path, int error) {
  return UnavailableError(
      fmt::format("no memory service at {}: {}; is gms-server running with this "
                  "socket folder?",
                  path, std::strerror(error)));
}

// Without a watch, which the kernel takes tens of milliseconds to forget: a server that is there or
// is just being started is found sooner. Nothing valid: it is not here yet. kCancelled.
Result<Attempt> LookForAWhile(const std::string& path, const sockaddr_un& address, Waiter& waiter,
                              SteadyTime deadline) {
  const SteadyTime end = std::min(deadline, TimeAfter(RealClock().Now(), kLook));
  for (Duration pause = kFirstPause;; pause = std::min(2 * pause, kLongestPause)) {
    Attempt attempt = TryOnce(address);
    const SteadyTime next = TimeAfter(RealClock().Now(), pause);
    if (attempt.fd.valid() || !MayComeLater(attempt.error) || next >= end) {
      return attempt;
    }
    const Status paused = waiter.Wait(kNoDescriptor, 0, next, "wait for " + path);
    if (paused.Is(Code::kCancelled)) {
      return paused;
    }
  }
}

}  // namespace

Result<UniqueFd> Dial(const std::string& path, Waiter& waiter, SteadyTime deadline) {
  RETURN_IF_ERROR(CheckSocketPath(path));
  const sockaddr_un address = Address(path);
  ASSIGN_OR_RETURN(Attempt first, LookForAWhile(path, address, waiter, deadline));
  if (first.fd.valid()) {
    return std::move(first.fd);
  }
  while (true) {
    // The watch comes first: what appears after the attempt is then seen.
    ASSIGN_OR_RETURN(UniqueFd watch, WatchFor(path));
    Attempt attempt = TryOnce(address);
    if (attempt.fd.valid()) {
      return std::move(attempt.fd);
    }
    if (!MayComeLater(attempt.error)) {
      return NobodyThere(path, attempt.error);
    }
    const bool absent = attempt.error == ENOENT || attempt.error == ENOTDIR;
    const SteadyTime until =
        absent ? deadline : std::min(deadline, TimeAfter(RealClock().Now(), kRefusedPause));
    const Status waited = waiter.Wait(watch.get(), POLLIN, until, "wait for " + path);
    if (waited.Is(Code::kCancelled)) {
      return waited;
    }
    if (!waited.ok() && RealClock().Now() >= deadline) {
      return NobodyThere(path, attempt.error);
    }
  }
}

}  // namespace hearth::gms::internal
