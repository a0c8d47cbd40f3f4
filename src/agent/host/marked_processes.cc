#include "agent/host/marked_processes.h"

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <vector>

#include "agent/host/process_facts.h"
#include "base/file_system.h"
#include "base/strings.h"
#include "base/unique_fd.h"

namespace hearth::agent {
namespace {

constexpr uint64_t kLongestEnvironment = 4 << 20;
// Nobody tells when the last one is gone.
constexpr Duration kLookAgain = std::chrono::milliseconds(2);

// A process that has ended, or whose memory is gone because it is about to, has no environment.
bool HasMark(int pid, const std::string& entry) {
  const auto text =
      RealFileSystem().Read(fmt::format("/proc/{}/environ", pid), kLongestEnvironment);
  if (!text.ok()) {
    return false;
  }
  const auto entries = Split(*text, '\0');
  return std::find(entries.begin(), entries.end(), entry) != entries.end();
}

std::vector<int> Marked(const std::string& entry) {
  std::vector<int> found;
  for (const int pid : ProcReader().Pids()) {
    if (pid != ::getpid() && HasMark(pid, entry)) {
      found.push_back(pid);
    }
  }
  return found;
}

void Kill(int pid, const std::string& entry) {
  const UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  // Its number may be another's by now.
  if (pidfd.valid() && HasMark(pid, entry)) {
    ::syscall(SYS_pidfd_send_signal, pidfd.get(), SIGKILL, nullptr, 0);
  }
}

}  // namespace

Status EndMarked(const ProcessMark& mark, const WaitLimit& limit) {
  const std::string entry = fmt::format("{}={}", mark.first, mark.second);
  while (true) {
    const std::vector<int> left = Marked(entry);
    if (left.empty()) {
      return Status::Ok();
    }
    for (const int pid : left) {
      Kill(pid, entry);
    }
    RETURN_IF_ERROR(limit.Check(RealClock(), fmt::format("the end of process {}", left.front())));
    static_cast<void>(SleepFor(RealClock(), kLookAgain, limit.stop));
  }
}

}  // namespace hearth::agent
