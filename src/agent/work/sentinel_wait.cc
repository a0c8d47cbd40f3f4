#include "agent/work/sentinel_wait.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/limited_poll.h"

namespace hearth::agent {

Status AwaitFile(const ControlDirectory& directory, std::string_view name, const WaitLimit& limit) {
  const UniqueFd watch(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  const std::string path = fmt::format("/proc/self/fd/{}", directory.fd());
  if (!watch.valid() ||
      ::inotify_add_watch(watch.get(), path.c_str(), IN_CREATE | IN_MOVED_TO | IN_ONLYDIR) < 0) {
    return Status::FromErrno(errno, fmt::format("watch for {}", name));
  }
  ASSIGN_OR_RETURN(LimitedPoll poll, LimitedPoll::Make(limit));
  while (true) {
    // Looked at after the watch was set: nothing falls between.
    ASSIGN_OR_RETURN(const bool there, directory.Has(name));
    if (there) {
      return Status::Ok();
    }
    pollfd readable{watch.get(), POLLIN, 0};
    RETURN_IF_ERROR(poll.Wait({&readable, 1}, fmt::format("the file {} of the container", name)));
    std::array<char, 4096> events;
    while (::read(watch.get(), events.data(), events.size()) > 0) {
    }
  }
}

}  // namespace hearth::agent
