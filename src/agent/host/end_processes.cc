#include "agent/host/end_processes.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <utility>
#include <vector>

#include "base/limited_poll.h"
#include "base/result.h"
#include "base/unique_fd.h"

namespace hearth::agent {
namespace {

constexpr Duration kLookAgain = std::chrono::milliseconds(2);
constexpr Duration kForUnsure = std::chrono::seconds(1);
// While the list of processes is read, one that comes late in it may start another whose number was
// passed already, and end before it is come to itself. The next look finds that other.
constexpr int kLooksWithoutAny = 2;

struct Killed {
  int pid = 0;
  UniqueFd pidfd;
};
struct Look {
  std::vector<Killed> killed;  // who lived until now
  bool unsure = false;
};

bool HasEnded(const UniqueFd& pidfd) {
  pollfd ended{pidfd.get(), POLLIN, 0};
  return ::poll(&ended, 1, 0) == 1;
}

Status KillIfMatches(int pid, const MatchProcess& match, Look& look) {
  Match matches = match(pid);
  if (matches == Match::kYes) {
    UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    if (!pidfd.valid()) {
      return errno == ESRCH ? Status::Ok()
                            : Status::FromErrno(errno, fmt::format("pidfd_open {}", pid));
    }
    // Asked again: before the pidfd was open the number could pass to another process.
    matches = HasEnded(pidfd) ? Match::kNo : match(pid);
    if (matches == Match::kYes) {
      ::syscall(SYS_pidfd_send_signal, pidfd.get(), SIGKILL, nullptr, 0);
      look.killed.push_back({pid, std::move(pidfd)});
    }
  }
  look.unsure = look.unsure || matches == Match::kUnsure;
  return Status::Ok();
}

Result<Look> KillMatching(const ProcReader& proc, const MatchProcess& match) {
  Look look;
  for (const int pid : proc.Pids()) {
    if (pid != ::getpid()) {
      RETURN_IF_ERROR(KillIfMatches(pid, match, look));
    }
  }
  return look;
}

Status AwaitEnd(const Killed& killed, const WaitLimit& limit) {
  ASSIGN_OR_RETURN(LimitedPoll poll, LimitedPoll::Make(limit));
  std::array<pollfd, 1> ended = {{{killed.pidfd.get(), POLLIN, 0}}};
  return poll.Wait(ended, fmt::format("the end of process {}", killed.pid));
}

}  // namespace

Status EndProcesses(const ProcReader& proc, const MatchProcess& match, const WaitLimit& limit) {
  const SteadyTime unsure_until = RealClock().Now() + kForUnsure;
  int without_any = 0;
  while (without_any < kLooksWithoutAny) {
    ASSIGN_OR_RETURN(const Look look, KillMatching(proc, match));
    const bool unsure = look.unsure && RealClock().Now() < unsure_until;
    without_any = look.killed.empty() && !unsure ? without_any + 1 : 0;
    for (const Killed& killed : look.killed) {
      RETURN_IF_ERROR(AwaitEnd(killed, limit));
    }
    if (unsure) {
      RETURN_IF_ERROR(limit.Check(RealClock(), "a process that cannot be told yet"));
      static_cast<void>(SleepFor(RealClock(), kLookAgain, limit.stop));
    }
  }
  return Status::Ok();
}

}  // namespace hearth::agent
