#include "workload_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <thread>

#include "base/clock.h"
#include "base/process_runner.h"
#include "base/strings.h"
#include "base/unique_fd.h"

namespace hearth::node {
namespace {

Result<UniqueFd> Connect(const std::string& path) {
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  if (!fd.valid() ||
      ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    return Status::FromErrno(errno, path);
  }
  return fd;
}

}  // namespace

Result<Spoken> AskWorkload(const std::string& socket) {
  const SteadyTime deadline = RealClock().Now() + std::chrono::seconds(60);
  Result<UniqueFd> connected = Connect(socket);
  // It tells nobody else that it is up.
  while (!connected.ok() && RealClock().Now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    connected = Connect(socket);
  }
  RETURN_IF_ERROR(connected.status());
  std::string line(200, '\0');
  const ssize_t size = ::read(connected->get(), line.data(), line.size());
  if (size <= 0) {
    return UnavailableError("the workload says nothing");
  }
  std::istringstream words(line.substr(0, static_cast<size_t>(size)));
  Spoken spoken;
  words >> spoken.token >> spoken.requests >> spoken.child_count >> spoken.memory_hash >>
      spoken.threads;
  return words ? Result<Spoken>(spoken) : InternalError("the workload said: " + line);
}

Result<int> StartWorkload(const std::string& socket, int mebibytes, int threads,
                          const std::string& log) {
  const std::string command = fmt::format("setsid {} {} {} {} </dev/null >{} 2>&1 & echo $!",
                                          WORKLOAD_PROGRAM, socket, mebibytes, threads, log);
  // Orphans become ours: a pid is free for a restore only when somebody has seen its process end.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ProcessSpec spec;
  spec.argv = {"/bin/sh", "-c", command};
  ASSIGN_OR_RETURN(
      const ProcessOutcome done,
      RealProcessRunner().Run(spec, WaitLimit::For(RealClock(), std::chrono::seconds(60))));
  return std::atoi(done.output.c_str());
}

void KillWorkload(int pid) {
  ::kill(-pid, SIGKILL);
  // Its pid is free when nobody of its session is left.
  while (::waitpid(-pid, nullptr, 0) > 0) {
  }
}

}  // namespace hearth::node
