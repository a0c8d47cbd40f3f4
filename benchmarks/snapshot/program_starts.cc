#include "program_starts.h"

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/limited_poll.h"

namespace hearth::bench {

Result<ProgramStarts> ProgramStarts::Watch(const agent::criu::Program& program) {
  UniqueFd watch(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  const std::string& path = program.argv.front();
  if (!watch.valid() || ::inotify_add_watch(watch.get(), path.c_str(), IN_OPEN) < 0) {
    return Status::FromErrno(errno, "watch " + path);
  }
  return ProgramStarts(std::move(watch));
}

void ProgramStarts::Forget() {
  std::array<char, 4096> bytes{};
  while (::read(watch_.get(), bytes.data(), bytes.size()) > 0) {
  }
}

Result<SteadyTime> ProgramStarts::Await(const WaitLimit& limit) {
  ASSIGN_OR_RETURN(LimitedPoll poll, LimitedPoll::Make(limit));
  pollfd entry{watch_.get(), POLLIN, 0};
  RETURN_IF_ERROR(poll.Wait({&entry, 1}, "the start of CRIU"));
  return RealClock().Now();
}

}  // namespace hearth::bench
